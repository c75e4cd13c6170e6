"""Which form the cells of one arm support."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from analyzer.errors import FitError
from analyzer.model.axis import RowAxis, row_axis
from analyzer.model.cells import Samples, samples
from analyzer.model.fit import Fit, fit_samples, separable
from analyzer.model.terms import FORMS, Form

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """Every fit these cells can carry, best first, and what had to be left out and why."""

    ranked: tuple[Fit, ...]
    notes: tuple[str, ...]

    @property
    def best(self) -> Fit:
        """The chosen fit."""
        return self.ranked[0]

    @property
    def runner_up(self) -> Fit | None:
        """The next best."""
        return self.ranked[1] if len(self.ranked) > 1 else None


def choose(frame: pd.DataFrame, forms: Iterable[Form] = FORMS.values()) -> Choice:
    """Fit every form these cells can carry and choose by AICc.

    A form is left out, with a note, when the cells cannot tell its terms apart or are fewer than
    its terms + 2, where AICc is not defined.

    Parameters
    ----------
    frame
        The rows of one arm.
    forms
        The family to choose from.

    Raises
    ------
    FitError
        When fewer than two client counts above 0, or fewer than four cells, are usable: no
        form in S can then be checked, and a ceiling would be a guess.
    """
    data = samples(frame)
    axis = row_axis(str(frame["scenario"].iloc[0]))
    _refuse_small(data)
    fits, notes = [], []
    for form in forms:
        need = len(form.terms) + 2
        if not separable(form, data):
            notes.append(f"{form.name} is left out: {_why_inseparable(data, axis)}")
        elif len(data) < need:
            notes.append(f"{form.name} is left out: it needs {need} cells, has {len(data)}")
        else:
            fits.append(fit_samples(data, form))
    ranked = sorted(fits, key=lambda fit: fit.aicc)
    notes.extend(_at_bound(ranked[0], axis))
    return Choice(tuple(ranked), tuple(notes))


def _refuse_small(data: Samples) -> None:
    counts = np.unique(data.clients[data.clients > 0])
    if len(counts) < 2:
        have = f"{len(counts)} (S = {counts[0]:.0f})" if len(counts) else "0"
        raise FitError(
            f"a cost per client needs 2 client counts above 0, has {have}: add one to --clients"
        )
    if len(data) < 4:
        raise FitError(f"a cost per client needs 4 cells, has {len(data)}: add one to --clients")


def _why_inseparable(data: Samples, axis: RowAxis) -> str:
    rows = np.unique(data.rows)
    if len(rows) < 2:
        return (
            f"one number of {axis.noun}s only ({rows[0]:.0f}) cannot tell its terms apart; "
            f"add one to --{axis.flag}"
        )
    return f"these {len(data)} cells cannot tell its terms apart"


def _at_bound(fit: Fit, axis: RowAxis) -> list[str]:
    return [
        f"the cost in {term.unit_for(axis)} is at its bound, 0: read it as not resolved"
        for term, value in zip(fit.form.terms, fit.coefficients, strict=True)
        if value == 0.0
    ]

"""Which form the cells of one arm support."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import partial
from operator import itemgetter
from typing import TYPE_CHECKING

import numpy as np

from analyzer.errors import FitError
from analyzer.model.axis import RowAxis, row_axis
from analyzer.model.by_parts import fit_by_parts
from analyzer.model.cells import Samples, samples
from analyzer.model.checks import at_bound, negative_fixed, refuse_cells, why_left_out
from analyzer.model.curves import CURVES, fit_curve
from analyzer.model.fit import Fit, fit_samples
from analyzer.model.holdout import Fitter, HeldOut, cuts, hold_out, rms, rolled
from analyzer.model.spread import cell_error
from analyzer.model.terms import FORMS, Form
from analyzer.units import counted

if TYPE_CHECKING:
    import pandas as pd

ALIKE = 2.0
"""AICc: forms this near to the lowest are not told apart by it (Burnham and Anderson 2002)."""
SUPPORTED = 10.0
"""AICc: forms further than this from the lowest have essentially no support (the same)."""
MISFIT = 0.2
"""Relative error, rms, above which a form is said to misfit."""
_NO_ERROR = 1e-6


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """One fit, and how the form predicts the most clients from the rest, if these carry it."""

    fit: Fit
    held_out: HeldOut | None
    rival: bool
    """Shown and not chosen: it does not explain, or lacks the merge that the counts prove."""
    fitter: Fitter = field(repr=False)

    @classmethod
    def of(cls, fitter: Fitter, data: Samples, rival: bool = False) -> Candidate:
        """Fit `data`, and hold its most clients out. Raises FitError as `fitter` does."""
        seen = cuts(data)
        held_out = hold_out(fitter, data, float(seen[-1])) if len(seen) else None
        return cls(fitter(data), held_out, rival, fitter)

    @property
    def name(self) -> str:
        """Name of the form."""
        return self.fit.form.name

    def rolled(self) -> tuple[HeldOut, ...]:
        """Cells held out at every client count that leaves enough to fit."""
        return rolled(self.fitter, self.fit.data)


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """Every fit these cells can carry, best first, and what had to be left out and why."""

    ranked: tuple[Candidate, ...]
    notes: tuple[str, ...]

    @property
    def best(self) -> Fit:
        """The chosen fit."""
        return self.ranked[0].fit

    @property
    def runner_up(self) -> Fit | None:
        """The next best, be it a rival."""
        return self.ranked[1].fit if len(self.ranked) > 1 else None

    @property
    def supported(self) -> tuple[Fit, ...]:
        """The chosen fit, the runner-up, and all others that are still in the running."""
        first, others = self.ranked[:2], self.ranked[2:]
        lowest = min(candidate.fit.aicc for candidate in self.ranked)
        running = (
            c.fit
            for c in others
            if c.fit.aicc <= lowest + SUPPORTED
            or (c.fit.parts and not c.fit.misses_more_than(self.best))
        )
        return (*(candidate.fit for candidate in first), *running)

    @property
    def bends(self) -> dict[int, float]:
        """Row counts at which the most clients cost more than the chosen form foretold."""
        held_out = self.ranked[0].held_out
        return held_out.bends if held_out else {}


def choose(
    frame: pd.DataFrame,
    forms: Iterable[Form] = FORMS.values(),
    merge: Form | None = None,
    *,
    unfinished: str = "",
) -> Choice:
    """Fit every form these cells can carry and choose one.

    AICc first; among the forms it does not tell apart, and `fit_by_parts` where the counts prove a
    merge, the one that best predicts the cells of more clients from those of fewer. A form is
    left out, with a note, when the cells cannot tell its terms apart, are fewer than its numbers
    + 2 (AICc is not defined there), or when it only fits with a negative fixed cost. `CURVES` are
    fitted beside them; one that is no rival is chosen when its AICc leaves every linear form
    without support, for its intervals take its shape as known.

    Parameters
    ----------
    frame
        The rows of one arm.
    forms
        The family to choose from.
    merge
        The form with the read-set merge that the counts prove (`merge_form`), if they do. Forms
        without a square in S are then rivals, unless the others fit clearly worse: noise may
        hide the merge up to the clients measured, beyond them it decides.
    unfinished
        How far a run is that is still to be gone on with: advice where cells are too few.

    Raises
    ------
    FitError
        When no form can be had from these cells, and a ceiling would be a guess: fewer than two
        client counts above 0, fewer than four cells, a cliff between two of them, or every form
        left out.
    """
    data = samples(frame)
    axis = row_axis(str(frame["scenario"].iloc[0]))
    refuse_cells(data, axis, unfinished or _more_cells(frame))
    linear, notes = [], []
    for form in (*forms, *([merge] if merge else [])):
        why = why_left_out(form, data, axis)
        found = None if why else Candidate.of(partial(fit_samples, form=form), data)
        if found and (why := negative_fixed(found.fit)):
            found = None
        if found:
            linear.append(found)
        else:
            notes.append(f"{form.name} is left out: {why}")
    if not linear:
        raise FitError("; ".join(notes))
    if merge:
        linear = [*_without_merge_as_rivals(linear, merge), *_carried(fit_by_parts, data, False)]
    shaped = _shaped(data)
    best = _best(linear, shaped, merge)
    others = [c for c in (*linear, *shaped) if c is not best]
    ranked = (best, *sorted(others, key=lambda candidate: candidate.fit.aicc))
    return Choice(ranked, (*notes, *at_bound(best.fit, axis), *_warnings(ranked, axis)))


def _more_cells(frame: pd.DataFrame) -> str:
    """Why there are too few cells: some are void, or more clients must be asked for."""
    whole = (frame["verdict"] == "ok").groupby([frame["clients"], frame["rows"]]).any()
    void = int((~whole).sum())
    if not void:
        return "add one to --clients"
    return f"{counted(void, 'cell')} {'is' if void == 1 else 'are'} void"


def _without_merge_as_rivals(linear: list[Candidate], merge: Form) -> list[Candidate]:
    """Mark the forms without a merge, unless those with one fit clearly worse."""
    with_merge = [c for c in linear if c.fit.form is merge or c.fit.form.squares]
    if all(any(c.fit.misses_more_than(other.fit) for other in linear) for c in with_merge):
        return linear
    return [replace(c, rival=c not in with_merge) for c in linear]


def _shaped(data: Samples) -> list[Candidate]:
    many_rows = len(np.unique(data.rows)) > 1
    curves = [curve for curve in CURVES if curve.many_rows == many_rows]
    found = [c for v in curves for c in _carried(partial(fit_curve, curve=v), data, v.rival)]
    return [c for c in found if c.fit.n >= c.fit.form.parameters + 2]


def _carried(fitter: Fitter, data: Samples, rival: bool) -> list[Candidate]:
    """The candidate, or none where the cells do not carry it."""
    try:
        return [Candidate.of(fitter, data, rival)]
    except FitError:
        return []


def _best(linear: list[Candidate], shaped: list[Candidate], merge: Form | None) -> Candidate:
    linear = [candidate for candidate in linear if not candidate.rival]
    lowest = min(candidate.fit.aicc for candidate in linear)
    decisive = [c for c in shaped if not c.rival and c.fit.aicc < lowest - SUPPORTED]
    if decisive:
        return min(decisive, key=lambda c: c.fit.aicc)
    alike = [c for c in linear if c.fit.aicc <= lowest + ALIKE]
    apart = [
        c
        for c in linear
        if c.fit.parts and not any(c.fit.misses_more_than(other.fit) for other in alike)
    ]
    foretell = _foretell_best([*alike, *apart]) or alike
    if foretell[0].fit.parts:
        return foretell[0]
    return min(foretell, key=lambda c: (c.fit.form is not merge, c.fit.aicc))


def _foretell_best(candidates: list[Candidate]) -> list[Candidate]:
    """Those that miss the cells held out least, to within a tenth or the noise of so many cells.

    The least comes first; none where they cannot be held to the same cells.
    """
    tried = [(candidate, candidate.rolled()) for candidate in candidates]
    common = set.intersection(*({h.fit.max_clients for h in each} for _, each in tried))
    if not common:
        return []
    held = [(c, [h for h in each if h.fit.max_clients in common]) for c, each in tried]
    ranked = sorted(((rms(each), c) for c, each in held), key=itemgetter(0))
    cells = sum(len(held_out.rows) for held_out in held[0][1])
    noise = cell_error(candidates[0].fit.data) / math.sqrt(cells)
    least, _ = ranked[0]
    near = least + max(0.1 * least, noise, _NO_ERROR)
    return [candidate for error, candidate in ranked if error <= near]


def misfit_of(fit: Fit) -> str:
    """Say so when the measured costs stand far from what the form makes of them."""
    if fit.relative_rms <= MISFIT:
        return ""
    return (
        f"the {fit.form.name} form misfits: it misses these costs by "
        f"{100 * fit.relative_rms:.0f} % (rms), so what follows from it is rough"
    )


def _warnings(ranked: tuple[Candidate, ...], axis: RowAxis) -> list[str]:
    best, *others = ranked
    words = [misfit] if (misfit := misfit_of(best.fit)) else []
    words += [
        f"{c.name} describes these cells better (AICc {best.fit.aicc - c.fit.aicc:.0f} lower): "
        "believe neither beyond the cells measured"
        for c in others
        if c.rival
        and not best.fit.parts
        and c.fit.aicc < best.fit.aicc - SUPPORTED
        and best.fit.misses_more_than(c.fit)
    ]
    if best.fit.form.shape:
        words.append("the exponents are fitted once: the intervals take them as known")
    if best.held_out:
        words.extend(
            f"the cost bends: {times:.2g} times what fewer clients foretell at "
            f"S={best.fit.max_clients} {axis.symbol}={r}"
            for r, times in best.held_out.bends.items()
        )
    return words

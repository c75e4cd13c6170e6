"""Everything the numbers of one run say: laws, fits, ceilings and ratios."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from analyzer.errors import FitError
from analyzer.model.axis import RowAxis, row_axis
from analyzer.model.bootstrap import DRAWS, SEED, Bootstrap, bootstrap
from analyzer.model.ceiling import Ceiling, ceiling
from analyzer.model.laws import Law, law_of
from analyzer.model.ratio import Ratio, ratios
from analyzer.model.select import Choice, choose
from analyzer.model.terms import FORMS, Form

if TYPE_CHECKING:
    import pandas as pd

COUNTS = ("index_seeks", "view_calls", "rows_scanned")
BASE = "per_sender"
BUDGET_MS = 50.0


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """The chosen form of one arm, its uncertainty, and its ceiling at every measured R."""

    choice: Choice
    boot: Bootstrap
    ceilings: tuple[Ceiling, ...]


@dataclass(frozen=True, slots=True, eq=False)
class ArmAnalysis:
    """What the cells of one arm say; `model` is None when `refusal` says why there is none."""

    scenario: str
    arm: str
    laws: dict[str, Law]
    model: Model | None
    refusal: str

    @property
    def axis(self) -> RowAxis:
        """The row axis of the scenario."""
        return row_axis(self.scenario)


@dataclass(frozen=True, slots=True, eq=False)
class Analysis:
    """The analysis of one run, arm by arm."""

    budget_ms: float
    seed: int
    arms: tuple[ArmAnalysis, ...]
    ratios: tuple[Ratio, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return laws, model, ceilings and ratios as strict JSON data: unknown is None."""
        from analyzer.model.export import document

        return document(self)


def analyse(
    frame: pd.DataFrame,
    *,
    budget_ms: float = BUDGET_MS,
    seed: int = SEED,
    draws: int = DRAWS,
    extrapolate: bool = False,
    forms: Iterable[Form] = FORMS.values(),
) -> Analysis:
    """Analyse a run: exact laws first, then the cost model and what it allows.

    Parameters
    ----------
    frame
        One row per cell and repeat: scenario, arm, clients, rows, repeat, write_ms, index_seeks,
        view_calls, rows_scanned, verdict. Only rows with verdict `ok` are used.
    budget_ms
        Milliseconds of lock one write may take.
    seed, draws
        Of the bootstrap.
    extrapolate
        Give ceilings further than three times beyond the largest measured S.
    forms
        The family the cost model is chosen from.
    """
    family = tuple(forms)
    arms: list[ArmAnalysis] = []
    compared: list[Ratio] = []
    for _, scenario in frame.groupby("scenario", sort=False):
        for _, arm in scenario.groupby("arm", sort=False):
            arms.append(_analyse_arm(arm, budget_ms, seed, draws, extrapolate, family))
        compared.extend(ratios(scenario, base_arm(scenario), draws=draws, seed=seed))
    return Analysis(budget_ms, seed, tuple(arms), tuple(compared))


def base_arm(frame: pd.DataFrame) -> str:
    """Return the arm that others are compared with: per_sender, else the first declared."""
    return BASE if (frame["arm"] == BASE).any() else str(frame["arm"].iloc[0])


def _analyse_arm(
    frame: pd.DataFrame,
    budget_ms: float,
    seed: int,
    draws: int,
    extrapolate: bool,
    forms: tuple[Form, ...],
) -> ArmAnalysis:
    scenario, arm = str(frame["scenario"].iloc[0]), str(frame["arm"].iloc[0])
    axis = row_axis(scenario)
    laws = {count: law_of(frame, count, axis) for count in COUNTS}
    try:
        choice = choose(frame, forms)
    except FitError as error:
        return ArmAnalysis(scenario, arm, laws, None, str(error))
    boot = bootstrap(choice.best, draws=draws, seed=seed)
    measured = sorted({int(rows) for rows in choice.best.data.rows})
    ceilings = tuple(
        ceiling(choice.best, boot, rows=rows, budget_ms=budget_ms, extrapolate=extrapolate)
        for rows in measured
    )
    return ArmAnalysis(scenario, arm, laws, Model(choice, boot, ceilings), "")

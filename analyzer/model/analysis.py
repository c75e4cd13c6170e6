"""Everything the numbers of one run say: laws, fits, ceilings and ratios."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from analyzer.errors import FitError
from analyzer.model.axis import RowAxis, row_axis
from analyzer.model.bootstrap import DRAWS, SEED
from analyzer.model.budget import Budget, as_budget
from analyzer.model.ceiling import Ceiling, ceiling
from analyzer.model.cells import tidy
from analyzer.model.laws import Law, law_of
from analyzer.model.model import Model, fit_arm
from analyzer.model.ratio import Ratio, ratios

if TYPE_CHECKING:
    import pandas as pd

    from analyzer.model.verify import Verification

COUNTS = ("index_seeks", "view_calls", "rows_scanned")
BASE = "per_sender"
BUDGET_MS = 50.0


@dataclass(frozen=True, slots=True, eq=False)
class ArmAnalysis:
    """What the cells of one arm say; `model` is None when `refusal` says why there is none.

    `ceilings` has one item for every measured R.
    """

    scenario: str
    arm: str
    laws: dict[str, Law]
    model: Model | None
    ceilings: tuple[Ceiling, ...]
    refusal: str

    @property
    def axis(self) -> RowAxis:
        """The row axis of the scenario."""
        return row_axis(self.scenario)


@dataclass(frozen=True, slots=True, eq=False)
class Analysis:
    """The analysis of one run, arm by arm; `unfinished` says how far it is, if it is not whole."""

    budget: Budget
    seed: int
    arms: tuple[ArmAnalysis, ...]
    ratios: tuple[Ratio, ...]
    unfinished: str = ""
    verification: Verification | None = None
    """What was measured at the ceilings; None when nothing was."""

    def to_dict(self) -> dict[str, Any]:
        """Return laws, model, ceilings and ratios as strict JSON data: unknown is None."""
        from analyzer.model.export import document

        return document(self)


def analyse(
    frame: pd.DataFrame,
    *,
    budget: Budget | str | float = BUDGET_MS,
    seed: int = SEED,
    draws: int = DRAWS,
    extrapolate: bool = False,
    refusal: str = "",
    unfinished: str = "",
) -> Analysis:
    """Analyse a run: exact laws first, then the cost model and what it allows.

    Parameters
    ----------
    frame
        One row per cell and repeat: scenario, arm, clients, rows, repeat, write_ms, index_seeks,
        view_calls, rows_scanned, verdict. Only rows with verdict `ok` are used.
    budget
        Lock time one write may take: `"50ms"`, a number of ms, or a `Budget`.
    seed, draws
        Of the bootstrap.
    extrapolate
        Give ceilings further than three times beyond the largest measured S.
    refusal
        Why times of this frame carry no model, when that is known already.
    unfinished
        How far the run is that this frame is of, when not all of it was measured.

    Raises
    ------
    FitError
        When the frame holds a repeat twice or lacks a column. An arm that cannot be fitted is no
        error: it keeps its laws and says why.
    """
    frame, budget = tidy(frame), as_budget(budget)
    arms: list[ArmAnalysis] = []
    compared: list[Ratio] = []
    for _, scenario in frame.groupby("scenario", sort=False):
        for _, arm in scenario.groupby("arm", sort=False):
            arms.append(_analyse_arm(arm, budget, seed, draws, extrapolate, refusal, unfinished))
        compared.extend(ratios(scenario, base_arm(scenario), draws=draws, seed=seed))
    return Analysis(budget, seed, tuple(arms), tuple(compared), unfinished)


def base_arm(frame: pd.DataFrame) -> str:
    """Return the arm that others are compared with: per_sender, else the first declared."""
    return BASE if (frame["arm"] == BASE).any() else str(frame["arm"].iloc[0])


def _analyse_arm(
    frame: pd.DataFrame,
    budget: Budget,
    seed: int,
    draws: int,
    extrapolate: bool,
    refusal: str,
    unfinished: str,
) -> ArmAnalysis:
    scenario, arm = str(frame["scenario"].iloc[0]), str(frame["arm"].iloc[0])
    axis = row_axis(scenario)
    laws = {count: law_of(frame, count, axis) for count in COUNTS}
    try:
        if refusal:
            raise FitError(refusal)
        model = fit_arm(frame, seed=seed, draws=draws, laws=laws, unfinished=unfinished)
    except FitError as error:
        return ArmAnalysis(scenario, arm, laws, None, (), str(error))
    ceilings = tuple(
        ceiling(model, budget, rows=rows, extrapolate=extrapolate) for rows in model.measured_rows
    )
    return ArmAnalysis(scenario, arm, laws, model, ceilings, "")

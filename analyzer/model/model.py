"""The cost model of one arm: the chosen form, what it was chosen from, its uncertainty."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from analyzer.errors import FitError
from analyzer.model.axis import RowAxis, row_axis
from analyzer.model.bootstrap import DRAWS, SEED, Bootstrap, bootstrap, deviations, interval
from analyzer.model.by_rows import by_rows_form
from analyzer.model.cells import Floats, samples, tidy
from analyzer.model.doubt import Doubt, doubt_of
from analyzer.model.fit import predict
from analyzer.model.laws import Law, find_law, points
from analyzer.model.merge import merge_form
from analyzer.model.select import Choice, choose
from analyzer.model.terms import FORMS, Form

if TYPE_CHECKING:
    import pandas as pd

    from analyzer.store import Run


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """Write cost of one arm over clients S and rows R, in ms."""

    scenario: str
    arm: str
    choice: Choice
    boot: Bootstrap
    doubt: Doubt

    @property
    def axis(self) -> RowAxis:
        """The row axis of the scenario."""
        return row_axis(self.scenario)

    @property
    def measured_rows(self) -> tuple[int, ...]:
        """Every R that was measured, ascending."""
        return tuple(sorted({int(rows) for rows in self.choice.best.data.rows}))

    def predict(self, clients: float, rows: float) -> float:
        """Write cost in ms at S = `clients` and R = `rows`."""
        return self.choice.best.predict(clients, rows)

    def interval(
        self, clients: float, rows: float, *, repeats: int | None = None
    ) -> tuple[float, float] | None:
        """95 % interval of `predict` in ms; None without repeats.

        It holds the noise between repeats (`boot`) and what the form itself may be off by, inside
        the cells and beyond them (`doubt`). With `repeats`, the interval that the mean of so many
        new repeats should fall into: their own noise is added.
        """
        if self.boot.coefficients is None:
            return None
        costs = self.drawn(rows)(clients)
        if repeats is not None:
            noise, _ = deviations(self.choice.best.data)
            drawn = np.random.default_rng([SEED, 2]).choice(noise, (len(costs), repeats))
            costs = costs * (1 + drawn.mean(axis=1))
        return interval(costs)

    def drawn(self, rows: float) -> Callable[[Floats | float], Floats]:
        """Return the cost in ms at R = `rows` as a function of S, one value a bootstrap draw.

        S may differ from draw to draw. No draw falls with S.

        Raises
        ------
        FitError
            When there is no bootstrap to draw from.
        """
        form, refits = self.choice.best.form, self.boot.coefficients
        if refits is None:
            raise FitError(self.boot.reason)
        factors, powers = self.doubt.draw(len(refits))
        most = self.most_clients(rows)
        edge = predict(form, refits, most, rows)

        def costs(clients: Floats | float) -> Floats:
            found = predict(form, refits, clients, rows)
            # A cost never falls with S, so it is above that at the edge only beyond it.
            grown = np.maximum(found / edge, 1.0)
            costs: Floats = factors * np.minimum(found, edge) * grown**powers
            return costs

        return costs

    def most_clients(self, rows: float) -> float:
        """The largest S measured at R = `rows`; between two, the less of theirs."""
        data, measured = self.choice.best.data, self.measured_rows
        below = max((each for each in measured if each <= rows), default=measured[0])
        above = min((each for each in measured if each >= rows), default=measured[-1])
        return float(min(data.clients[data.rows == each].max() for each in (below, above)))

    def rows_within(self, rows: int | None) -> int:
        """`rows`, or the only one measured. Raises FitError outside the measured ones."""
        measured = self.measured_rows
        if rows is None and len(measured) == 1:
            return measured[0]
        if rows is None:
            many = ", ".join(map(str, measured))
            raise FitError(f"which number of {self.axis.noun}s? These were measured: {many}")
        if not measured[0] <= rows <= measured[-1]:
            raise FitError(
                f"{rows} {self.axis.noun}s are outside the measured {measured[0]} to "
                f"{measured[-1]}: no cost is known there"
            )
        return rows

    def to_dict(self) -> dict[str, Any]:
        """Return the content of model.json for this arm: strict JSON data."""
        from analyzer.model.export import model_item

        return model_item(self)

    def __str__(self) -> str:
        """The report on this model."""
        from analyzer.report.modelled import model_section
        from analyzer.report.terminal import plain

        return plain(model_section(self))


def fit(
    source: Run | pd.DataFrame,
    *,
    arm: str | None = None,
    seed: int = SEED,
    draws: int = DRAWS,
) -> Model:
    """Fit the cost model of one arm.

    Parameters
    ----------
    source
        A run, or a frame with one row per cell and repeat: clients, rows, write_ms (ms per write,
        above 0, NaN when unknown), and optionally repeat, arm, scenario, verdict (`ok` or not).
    arm
        Which arm; may be left out when there is one.
    seed, draws
        Of the bootstrap over repeats.

    Raises
    ------
    FitError
        When a column is missing, the arm is not there or not named, the rows are of two runs, or
        the cells cannot carry a model (`choose`).
    """
    from analyzer.store import Run

    if isinstance(source, Run):
        if source.mixed:
            raise FitError(source.mixed)
        unfinished, source = source.unfinished, source.frame()
    else:
        unfinished = ""
    frame = tidy(source)
    names = list(dict.fromkeys(zip(frame["scenario"], frame["arm"], strict=True)))
    chosen = [pair for pair in names if arm in (None, pair[1])]
    if len(chosen) != 1:
        known = ", ".join(name for _, name in names)
        raise FitError(f"one arm is fitted at a time, and these are there: {known or 'none'}")
    of_arm = (frame["scenario"] == chosen[0][0]) & (frame["arm"] == chosen[0][1])
    return fit_arm(frame[of_arm], seed=seed, draws=draws, unfinished=unfinished)


def fit_arm(
    frame: pd.DataFrame,
    *,
    seed: int = SEED,
    draws: int = DRAWS,
    forms: Iterable[Form] | None = None,
    laws: Mapping[str, Law] | None = None,
    unfinished: str = "",
) -> Model:
    """Fit the rows of one arm, tidy as a run gives them, choosing from `forms`;
    `unfinished` as in `choose`.

    Without `forms` these are `FORMS` and the one of `by_rows_form`. Where view calls and index
    seeks were counted and have exact laws, the `merge` form made of them is added; `laws` by the
    name of the count spare finding them again.
    """
    scenario, arm = str(frame["scenario"].iloc[0]), str(frame["arm"].iloc[0])
    axis = row_axis(scenario)
    if forms is None:
        by_rows = by_rows_form(samples(frame))
        forms = (*FORMS.values(), *([by_rows] if by_rows else []))
    if laws is None:
        laws = {name: find_law(points(frame, name), axis) for name in ("view_calls", "index_seeks")}
    merge = merge_form(laws["view_calls"], laws["index_seeks"], axis)
    choice = choose(frame, forms, merge, unfinished=unfinished)
    return Model(
        scenario,
        arm,
        choice,
        bootstrap(choice.best, draws=draws, seed=seed),
        doubt_of(choice.best, choice.ranked[0].rolled()),
    )

"""Every plot is a figure of its own, with units, void cells marked, and no global state."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import matplotlib
import pandas as pd
import pytest
from matplotlib.figure import Figure

from analyzer import plots
from analyzer.errors import RunError
from analyzer.experiments.lab import load_records
from analyzer.model.ceiling import ceiling
from analyzer.model.model import Model, fit_arm
from analyzer.store import load_run
from tests.model.frames import frame as planted
from tests.runs import small_plan, write_residue, write_run

VOID = ("per_sender", 50, 64)


@pytest.fixture(scope="module")
def frame(tmp_path_factory: pytest.TempPathFactory) -> pd.DataFrame:
    path = tmp_path_factory.mktemp("plots") / "run"
    return load_run(write_run(path, small_plan(), void=VOID)).frame()


@pytest.fixture(scope="module")
def model(frame: pd.DataFrame) -> Model:
    return fit_arm(frame[frame["arm"] == "per_sender"], draws=200)


@pytest.fixture(scope="module")
def drawn(
    frame: pd.DataFrame, model: Model, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Figure]:
    residue = load_records(write_residue(tmp_path_factory.mktemp("plots") / "residue"))
    draw: dict[str, Callable[[], Figure]] = {
        "cost": lambda: plots.cost_curves(model, budget_ms=50, frame=frame),
        "ceilings": lambda: plots.ceiling_map(model, budget_ms=50),
        "arms": lambda: plots.arms_side_by_side(frame, budget_ms=50),
        "split": lambda: plots.time_split(frame, "per_sender"),
        "residuals": lambda: plots.residuals(model),
        "predicted": lambda: plots.measured_against_predicted([model]),
        "residue": lambda: plots.residue_timeline(residue),
    }
    return {name: made() for name, made in draw.items()}


def words(figure: Figure) -> str:
    """All that can be read in it."""
    return plots.svg(figure).replace("&#8805;", "≥")


def test_every_axis_names_what_it_measures_and_its_unit(drawn: dict[str, Figure]) -> None:
    labels = {
        name: {label for axes in figure.axes for label in (axes.get_xlabel(), axes.get_ylabel())}
        for name, figure in drawn.items()
    }
    assert labels["cost"] == {"clients S", "write cost (ms of lock per write)"}
    assert labels["ceilings"] == {"rooms G", "budget (ms of lock per write)"}
    assert "clients S" in labels["arms"]
    assert "write cost (ms of lock per write)" in words(drawn["arms"])
    assert labels["split"] == {"clients S over rooms G", "share of the write cost (%)"}
    assert labels["residuals"] == {"clients S", "measured over predicted (%)"}
    assert labels["predicted"] == {"predicted write cost (ms)", "measured write cost (ms)"}
    assert labels["residue"] >= {"minutes since the database's launch", "write cost (ms)"}


def test_cost_stands_on_log_axes_with_the_budget_a_band_and_every_row_count(
    drawn: dict[str, Figure], model: Model
) -> None:
    (axes,) = drawn["cost"].axes
    assert axes.get_yscale() == "log"
    assert axes.get_xscale() == "symlog"
    assert len(axes.collections) == 2 * len(model.measured_rows)
    assert "budget 50 ms" in words(drawn["cost"])
    legend = axes.get_legend()
    assert legend is not None
    assert {"8", "64", "256", "1,000"} < {text.get_text() for text in legend.get_texts()}


def test_void_cells_are_marked(drawn: dict[str, Figure], frame: pd.DataFrame) -> None:
    def crosses(figure: Figure) -> int:
        lines = [line for axes in figure.axes for line in axes.lines]
        return sum(line.get_marker() == "x" and len(line.get_xdata()) == 1 for line in lines)

    assert crosses(drawn["cost"]) == 1
    assert crosses(drawn["arms"]) == 1
    assert words(drawn["split"]).count(">void<") == 1
    assert ">void<" in words(drawn["arms"])
    whole = frame[frame["verdict"] == "ok"]
    assert ">void<" not in words(plots.arms_side_by_side(whole))


def test_the_map_says_the_ceilings_that_the_report_says() -> None:
    rows_only = planted(lambda s, g: 0.1 + 0.001 * g, seeks=lambda s, g: 1, calls=lambda s, g: 0)
    flat = fit_arm(rows_only, draws=200)
    steep = fit_arm(planted(noise=0.02), draws=200)
    assert "∞" in words(plots.ceiling_map(flat, [50]))
    told = words(plots.ceiling_map(steep, [50]))
    for rows in steep.measured_rows:
        item = ceiling(steep, 50, rows=rows)
        assert f">{item.clients or f'≥{item.at_least}'}<" in told


def test_the_parts_of_a_bar_are_the_whole(drawn: dict[str, Figure]) -> None:
    (axes,) = drawn["split"].axes
    heights: dict[float, float] = {}
    for bar in axes.patches:
        heights[bar.get_x()] = heights.get(bar.get_x(), 0) + bar.get_height()
    assert len(heights) == 12
    known = [height for height in heights.values() if height == height]
    assert known == pytest.approx([100.0] * 11)


def test_the_cost_above_a_bar_is_that_of_the_table() -> None:
    found = planted(lambda s, g: 0.558 * s / 10, clients=(10,), rows=(8,)).assign(
        windows=1, writes=1, fuel=1.0, deliveries=1.0, index_seeks_expected=float("nan"),
        reducer_body_ms=0.1, view_body_ms=0.1, materialize_ms=0.1, commit_ms=0.2,
    )  # fmt: skip
    assert ">0.558<" in words(plots.time_split(found, "per_sender"))


def test_a_server_that_tells_no_parts_gets_two() -> None:
    found = planted().assign(windows=1, writes=1, fuel=1.0, deliveries=1.0)
    found["index_seeks_expected"] = float("nan")
    for part in ("reducer_body_ms", "view_body_ms", "materialize_ms", "commit_ms"):
        found[part] = float("nan")
    assert "reducer, views included" in words(plots.time_split(found, "per_sender"))


def test_svg_and_png_are_written_and_the_same_svg_twice(
    drawn: dict[str, Figure], tmp_path: Path
) -> None:
    for name, figure in drawn.items():
        plots.write(figure, tmp_path / f"{name}.svg")
        plots.write(figure, tmp_path / f"{name}.png")
        assert (tmp_path / f"{name}.svg").read_text() == plots.svg(figure)
        assert (tmp_path / f"{name}.png").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(RunError, match="cannot write"):
        plots.write(drawn["cost"], tmp_path / "nowhere" / "cost.svg")


def test_a_notebook_shows_a_figure_by_itself(drawn: dict[str, Figure]) -> None:
    for figure in drawn.values():
        assert "<svg" in figure._repr_svg_()  # type: ignore[attr-defined]


def test_pyplot_the_backend_and_the_style_of_the_caller_stay_as_they_are() -> None:
    probe = (
        "import sys, matplotlib\n"
        "from analyzer import plots\n"
        "assert 'matplotlib.pyplot' not in sys.modules\n"
        "assert matplotlib.get_backend(auto_select=False) is None\n"
    )
    subprocess.run([sys.executable, "-c", probe], check=True)
    before = dict(matplotlib.rcParams)
    plots.measured_against_predicted([fit_arm(planted(noise=0.02), draws=50)])
    assert dict(matplotlib.rcParams) == before

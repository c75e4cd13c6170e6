"""`check`: assertions on counts, costs and ceilings, judged by intervals."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

import analyzer
from analyzer.assertions import Verdict
from analyzer.errors import RunError, UsageError
from analyzer.plan import Plan
from analyzer.store import load_run
from tests.command import error_line, stdb_sweep
from tests.factory import noisy_run, write_run

LAW = "per_sender.seeks == S*(4*G+1)+1"
BROKEN = "anonymous.seeks == 4*G"
HOLDING = {
    LAW: 8,
    "per_sender.seeks==S*(4*R+1)+1": 8,
    "anonymous . seeks [ clients = 10 ] == 4*G + 1": 2,
    "anonymous.seeks == P*4*G+1": 8,
    "anonymous.seeks[S=100,rooms=64] <= 257": 1,
    "anonymous.view_calls[G=8] < 2": 4,
    "*.deliveries == S": 16,
    "*.void == 0": 2,
    "per_sender.write_ms[clients=100,rooms=64] < 120": 1,
    "per_sender.write_ms[clients=100,rooms=64] > 50ms": 1,
    "per_sender.ceiling[rooms=64] >= 40": 1,
    "per_sender.ceiling[rooms=64] < 100": 1,
    "per_sender.ceiling[rooms=64,budget=10ms] < 20": 1,
    "anonymous.ceiling >= 100": 2,
}
FAILING = {
    BROKEN: "anonymous.seeks[S=0,G=8] is 1, not == 32",
    "per_sender.seeks[S=10,G=8] != 331": "per_sender.seeks[S=10,G=8] is 331, not != 331",
    "*.void > 0": "per_sender.void is 0, not > 0",
    "anonymous.ceiling <= 1000": "is without an upper end in these data, not <= 1,000",
    "per_sender.ceiling[rooms=64] >= 80": "lower end; at 50 ms a write:",
}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return noisy_run(tmp_path_factory.mktemp("check") / "run", 1)


@pytest.fixture(scope="module")
def verdicts(run: Path) -> dict[str, Verdict]:
    """All of one call: each arm is fitted once."""
    judged = analyzer.check(load_run(run), [*HOLDING, *FAILING])
    return {verdict.assertion: verdict for verdict in judged}


@pytest.mark.parametrize("assertion", HOLDING)
def test_what_holds_holds_in_every_cell_that_is_meant(
    verdicts: dict[str, Verdict], assertion: str
) -> None:
    assert verdicts[assertion].failures == ()
    assert verdicts[assertion].checked == HOLDING[assertion]


@pytest.mark.parametrize("assertion", FAILING)
def test_what_does_not_hold_is_named_with_its_cell(
    verdicts: dict[str, Verdict], assertion: str
) -> None:
    assert FAILING[assertion] in verdicts[assertion].failures[0]


def test_a_cost_must_hold_with_the_end_that_makes_it_harder(run: Path) -> None:
    name = "per_sender.write_ms[clients=100,rooms=64]"
    mean = load_run(run).frame().query("arm == 'per_sender' & clients == 100 & rows == 64")
    value = float(mean["write_ms"].mean())
    below, above = analyzer.check(load_run(run), [f"{name} < {value}", f"{name} > {value}"])
    assert "upper end of the 95 % interval" in below.failures[0]
    assert "lower end of the 95 % interval" in above.failures[0]


def test_without_repeats_a_cost_and_a_ceiling_are_not_judged(tmp_path: Path) -> None:
    plan = Plan(
        scenario="lobby", arms=("per_sender",), clients=(0, 10, 50), rows=(8, 64), repeats=1
    )
    run = load_run(write_run(tmp_path / "run", plan))
    cost, roof, law = analyzer.check(
        run, ["per_sender.write_ms < 1000", "per_sender.ceiling >= 1", LAW]
    )
    assert "no interval: one repeat" in cost.failures[0]
    assert "no interval: one repeat" in roof.failures[0]
    assert law.holds


def test_a_void_cell_fails_with_its_reason_and_its_counts_still_count(tmp_path: Path) -> None:
    plan = Plan(scenario="lobby", arms=("per_sender",), clients=(0, 10), rows=(8,), writes=10)
    void = {"verdict": "void", "reasons": ("gone",), "index_seeks": 10, "view_calls": None}
    run = load_run(write_run(tmp_path / "run", plan, **void))
    seeks, calls, cost, cells = analyzer.check(
        run,
        [LAW, "per_sender.view_calls == S", "per_sender.write_ms[S=10] < 9", "per_sender.void==0"],
    )
    assert seeks.failures == ("per_sender.seeks[S=10,G=8] is 1, not == 331",)
    assert calls.failures[0] == "per_sender.view_calls[S=0,G=8] is unknown: gone"
    assert cost.failures == ("per_sender.write_ms[S=10,G=8]: gone",)
    assert cells.failures == ("per_sender.void is 2, not == 0",)


@pytest.mark.parametrize(
    ("assertion", "told"),
    [
        ("per_sendr.seeks == 1", "did you mean 'per_sender'?"),
        ("per_sender.seks == 1", "did you mean 'seeks'?"),
        ("per_sender.seeks[romos=8] == 1", "did you mean 'rooms'?"),
        ("per_sender.seeks[rooms=65] == 1", "did you mean 64?"),
        ("per_sender.seeks[rooms=x] == 1", "rooms='x' is not a whole number"),
        ("per_sender.seeks == 4*Q", "'4*Q' is no count"),
        ("per_sender.write_ms < fast", "'fast' is not a number"),
        ("per_sender.write_ms < nan", "'nan' is not a number"),
        ("per_sender.write_ms == 3", "has an interval, no one value"),
        ("per_sender.ceiling[clients=10] > 3", "say which rows"),
        ("per_sender.ceiling[budget=9] > 3", "'9' is not a duration"),
        ("per_sender.seeks = 3", "is no assertion"),
    ],
)
def test_what_cannot_be_read_is_an_error_with_the_nearest_name(
    run: Path, assertion: str, told: str
) -> None:
    with pytest.raises(UsageError) as caught:
        analyzer.check(load_run(run), [assertion])
    assert told in str(caught.value)


def test_a_broken_assertion_ends_with_99_and_is_told_to_junit_and_github(
    run: Path, tmp_path: Path
) -> None:
    (tmp_path / "laws.txt").write_text(f"# the laws\n{LAW}  # the article's\n\n")
    words = ["--asserts", "laws.txt", "--assert", BROKEN, "--junit", "junit.xml"]
    done = stdb_sweep("check", run, *words, cwd=tmp_path, env={"GITHUB_ACTIONS": "true"})
    assert done.returncode == 99
    assert error_line(done) == f"stdb-sweep: does not hold: {BROKEN}"
    assert f"ok     {LAW}: holds in 8 of 8" in done.stdout
    assert "anonymous.seeks[S=0,G=8] is 1, not == 32" in done.stdout
    (annotation,) = (line for line in done.stderr.splitlines() if line.startswith("::error"))
    assert annotation.startswith(f"::error title=stdb-sweep check::{BROKEN}%0Aanonymous.seeks[")
    suite = ElementTree.parse(tmp_path / "junit.xml").getroot()
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")
    assert [case.find("failure") is None for case in suite] == [False, True]


def test_json_says_the_same(run: Path) -> None:
    done = stdb_sweep("check", run, "--assert", LAW, "--json", cwd=run)
    assert json.loads(done.stdout) == [
        {"assertion": LAW, "checked": 8, "failures": [], "holds": True}
    ]
    assert done.returncode == 0


def test_a_run_that_is_not_complete_asserts_nothing(run: Path) -> None:
    whole = load_run(run)
    with pytest.raises(RunError, match="is not complete"):
        analyzer.check(replace(whole, observations=whole.observations[:-2]), ["*.void == 0"])


def test_times_of_unlike_machines_are_not_judged(run: Path) -> None:
    whole = load_run(run)
    sittings = [{"cpu": "a", "cores": 2}, {"cpu": "b", "cores": 2}]
    mixed = replace(whole, manifest=whole.manifest | {"sittings": sittings})
    cost, law = analyzer.check(mixed, ["per_sender.write_ms < 1000", LAW])
    assert "measured on unlike machines" in cost.failures[0]
    assert law.holds


def test_nothing_asserted_is_a_usage_error(run: Path) -> None:
    done = stdb_sweep("check", run, cwd=run)
    assert done.returncode == 2
    assert "nothing is asserted" in error_line(done)

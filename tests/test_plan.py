"""Order and identity of a plan (pitfall 21)."""

from __future__ import annotations

import dataclasses
import itertools
import json
import statistics

import pytest

from analyzer.errors import UsageError
from analyzer.plan import Plan

PLAN = Plan(scenario="lobby", arms=("per_sender", "anonymous"), clients=(0, 10, 50),
            rows=(8, 64, 256), repeats=3)  # fmt: skip


def test_a_plan_survives_json() -> None:
    assert Plan.from_dict(json.loads(json.dumps(PLAN.to_dict()))) == PLAN


def test_every_cell_is_measured_once_in_every_repeat() -> None:
    keys = [step.key for block in PLAN.blocks() for step in block.steps() if not block.control]
    assert len(keys) == len(set(keys)) == 2 * 3 * 3 * 3
    assert {cell for cell, _, _ in keys} == set(PLAN.cells)


def test_the_seed_decides_the_order_and_nothing_else_does() -> None:
    def order(seed: int) -> list[tuple[str, int]]:
        plan = dataclasses.replace(PLAN, seed=seed)
        return [(block.arm_name, block.rows) for block in plan.blocks()]

    assert order(1) == order(1)
    assert order(1) != order(2)


def test_subscribers_only_go_up_inside_a_database() -> None:
    for block in PLAN.blocks():
        clients = [step.clients for step in block.steps()]
        assert clients == sorted(clients)


def test_the_first_block_comes_again_at_the_end_as_drift_control() -> None:
    first, *_, last = PLAN.blocks()
    assert last.control
    assert (last.arm_name, last.rows, last.clients) == (first.arm_name, first.rows, (10,))


def orders(seed: int) -> tuple[list[tuple[int, ...]], list[tuple[str, ...]]]:
    """The rows of each repeat and the arms of each row count, as they are measured."""
    *blocks, _control = dataclasses.replace(PLAN, seed=seed).blocks()
    names, rows = [block.arm_name for block in blocks], [block.rows for block in blocks[::2]]
    arms = [tuple(names[at : at + 2]) for at in range(0, 18, 2)]
    return [tuple(rows[at : at + 3]) for at in (0, 3, 6)], arms


def test_every_order_of_rows_and_of_arms_comes_up() -> None:
    rows, arms = zip(*map(orders, range(20)), strict=True)
    assert {order for each in rows for order in each} == set(itertools.permutations(PLAN.rows))
    assert {order for each in arms for order in each} == set(itertools.permutations(PLAN.arms))


@pytest.mark.parametrize("seed", range(20))
def test_a_machine_that_slows_down_does_not_move_the_ratio_of_two_arms(seed: int) -> None:
    """1 % slower per cell; arms that cost the same must stay within 3 % of each other."""
    plan = dataclasses.replace(PLAN, seed=seed)
    times: dict[str, list[float]] = {arm: [] for arm in plan.arms}
    slow = 1.0
    for block in plan.blocks():
        for step in block.steps():
            if not block.control:
                times[step.cell.arm].append(slow)
            slow *= 1.01
    ratio = statistics.mean(times["per_sender"]) / statistics.mean(times["anonymous"])
    assert 0.97 < ratio < 1.03


@pytest.mark.parametrize(
    ("rate", "writes", "of"),
    [(20, None, 10), (1, None, 10), (200, None, 40), (1e4, None, 100), (20, 7, 7)],
)
def test_a_paced_window_is_as_long_as_an_unpaced_one_where_the_rate_allows(
    rate: float, writes: int | None, of: int
) -> None:
    paced = dataclasses.replace(PLAN, rate=rate, writes=writes)
    assert paced.writes_of(0.1) == paced.writes_of(500.0) == of
    steps = 2 * 3 * 3 * 3 + 1
    assert paced.paced_s == pytest.approx(steps * 2 * of / rate)


@pytest.mark.parametrize(("fastest_ms", "of"), [(0.0, 100), (5.0, 40), (900.0, 3)])
def test_an_unpaced_window_is_fitted_to_the_cell(fastest_ms: float, of: int) -> None:
    assert PLAN.writes_of(fastest_ms) == of
    assert PLAN.paced_s == 0


def test_bad_plans_are_refused_by_name() -> None:
    for field, value, told in [
        ("scenario", "chess", "'chess'"),
        ("arms", ("per_sender", "magic"), "'magic'"),
        ("repeats", 0, "--repeats 0"),
        ("rate", 0.0, "--rate 0"),
        ("rate", 1e-5, "--rate 1e-05: it takes 0.1 to 100,000 writes a second"),
        ("rate", 1e308, r"--rate 1e\+308: it takes"),
        ("rate", float("nan"), "--rate nan"),
        ("rate", float("inf"), "--rate inf"),
        ("seed", -1, "--seed -1"),
        ("clients", (), "clients"),
        ("clients", (10, 0), "ascend"),
        ("clients", (5, 5), "each once"),
        ("clients", (-1, 5), "0 or more"),
        ("rows", (0, 8), "1 or more"),
        ("subscribers", "tin", "'tin'"),
    ]:
        with pytest.raises(UsageError, match=told):
            dataclasses.replace(PLAN, **{field: value})

"""Order and identity of a plan (pitfall 21)."""

from __future__ import annotations

import dataclasses
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


def test_bad_plans_are_refused_by_name() -> None:
    for field, value, told in [
        ("scenario", "chess", "'chess'"),
        ("arms", ("per_sender", "magic"), "'magic'"),
        ("repeats", 0, "--repeats 0"),
        ("rate", 0.0, "--rate 0"),
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

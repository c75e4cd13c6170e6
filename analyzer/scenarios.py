"""Scenarios and their arms: what clients subscribe to, what is written, and what it must count.

Sources of the laws: the engine counts one seek for each `find` and each `filter`, none for
`count` and `update`, and calls a view once for each live instance that a write touches.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from analyzer.errors import UsageError

Law = Callable[[int, int], int]
"""(clients, rows) -> a count per write."""


@dataclass(frozen=True, slots=True)
class Arm:
    """One view design. `seeks`, `view_calls` and `rows_scanned` are exact, per write."""

    name: str
    summary: str
    queries: tuple[str, ...]
    write: str
    seeks: Law
    view_calls: Law
    rows_scanned: Law


@dataclass(frozen=True, slots=True)
class Scenario:
    name: str
    module: str
    row_flag: str
    """The command-line flag of the row axis: `rooms`, `entrants`."""
    row_noun: str
    row_symbol: str
    seed: str
    arms: tuple[Arm, ...]
    default_arms: tuple[str, ...]

    def arm(self, name: str) -> Arm:
        """Raises UsageError naming the arms there are."""
        for arm in self.arms:
            if arm.name == name:
                return arm
        known = ", ".join(arm.name for arm in self.arms)
        raise UsageError(f"scenario {self.name!r} has no arm {name!r}: it has {known}")


def _select(*names: str) -> tuple[str, ...]:
    return tuple(f"SELECT * FROM {name}" for name in names)


def _any(clients: int) -> int:
    """An anonymous view has one instance as soon as one client subscribes to it."""
    return int(clients > 0)


LOBBY = Scenario(
    name="lobby",
    module="lobby",
    row_flag="rooms",
    row_noun="room",
    row_symbol="G",
    seed="seed_rooms",
    arms=(
        Arm(
            "per_sender",
            "the lobby as each caller sees it: one materialization per client",
            _select("active_game_per_sender"),
            "settle_street",
            seeks=lambda s, g: s * (4 * g + 1) + 1,
            view_calls=lambda s, g: s,
            rows_scanned=lambda s, g: s * 4 * g + 1,
        ),
        Arm(
            "anonymous",
            "the same body for everybody, without the caller's own row",
            _select("active_game_anonymous"),
            "settle_street",
            seeks=lambda s, g: 4 * g * _any(s) + 1,
            view_calls=lambda s, g: _any(s),
            rows_scanned=lambda s, g: 4 * g * _any(s) + 1,
        ),
        Arm(
            "projection",
            "a table the reducer keeps up to date, and a small view for the caller's own row",
            _select("lobby_projection", "my_practice_room"),
            "settle_street_projected",
            seeks=lambda s, g: 2,
            view_calls=lambda s, g: 0,
            rows_scanned=lambda s, g: 2,
        ),
    ),
    default_arms=("per_sender", "anonymous"),
)

TOURNAMENT = Scenario(
    name="tournament",
    module="tournament",
    row_flag="entrants",
    row_noun="entrant",
    row_symbol="F",
    seed="seed_entrants",
    arms=(
        Arm(
            "per_sender",
            "two field-wide views, each materialized once per client",
            _select("standings_per_sender", "field_per_sender"),
            "settle_hand",
            seeks=lambda s, f: 2 * s + 1,
            view_calls=lambda s, f: 2 * s,
            rows_scanned=lambda s, f: 2 * s * f + 1,
        ),
        Arm(
            "one_anonymous",
            "one of the two views made anonymous",
            _select("standings_anonymous", "field_per_sender"),
            "settle_hand",
            seeks=lambda s, f: s + _any(s) + 1,
            view_calls=lambda s, f: s + _any(s),
            rows_scanned=lambda s, f: (s + _any(s)) * f + 1,
        ),
        Arm(
            "anonymous",
            "both views anonymous",
            _select("standings_anonymous", "field_anonymous"),
            "settle_hand",
            seeks=lambda s, f: 2 * _any(s) + 1,
            view_calls=lambda s, f: 2 * _any(s),
            rows_scanned=lambda s, f: 2 * _any(s) * f + 1,
        ),
        Arm(
            "projection",
            "two tables that the reducer keeps up to date",
            _select("standings_projection", "field_projection"),
            "settle_hand_projected",
            seeks=lambda s, f: 1,
            view_calls=lambda s, f: 0,
            rows_scanned=lambda s, f: 1,
        ),
    ),
    default_arms=("per_sender", "one_anonymous", "anonymous", "projection"),
)

SCENARIOS = {scenario.name: scenario for scenario in (LOBBY, TOURNAMENT)}

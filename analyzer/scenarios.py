"""The scenarios of ours: what clients subscribe to, what is written, and what it must count.

Sources of the laws: the engine counts one seek for each `find` and each `filter`, none for
`count` and `update`, and calls a view once for each live instance that a write touches. It counts
neither seeks nor rows of a query-builder view.
"""

from __future__ import annotations

from typing import Any

from analyzer.arms import Arm, Scenario
from analyzer.calls import Call
from analyzer.formula import Formula


def _declared(
    name: str,
    summary: str,
    views: str,
    write: str,
    *,
    seeks: str,
    view_calls: str,
    rows_scanned: str,
    **more: Any,
) -> Arm:
    """An arm of ours. A write changes a row that its subscribers see, so each gets one update."""
    return Arm(
        name=name,
        summary=summary,
        queries=tuple(f"SELECT * FROM {view.strip()}" for view in views.split(";")),
        write=Call(write),
        seeks=Formula(seeks),
        view_calls=Formula(view_calls),
        rows_scanned=Formula(rows_scanned),
        deliveries=Formula("1"),
        **more,
    )


_PRACTICE: dict[str, Any] = {
    "client_call": Call("open_practice_room"),
    "every": 2,
    "rows_of": "per_sender",
}
"""Every second client owns a practice room, so that the personal branch returns rows."""

LOBBY = Scenario(
    name="lobby",
    module="lobby",
    row_flag="rooms",
    row_noun="room",
    row_symbol="G",
    seed=Call("seed_rooms({rows})"),
    arms=(
        _declared(
            "per_sender",
            "the lobby as each caller sees it: one materialization per client",
            "active_game_per_sender",
            "settle_street({i})",
            seeks="S*(4*G+1)+1",
            view_calls="S",
            rows_scanned="S*4*G+1",
        ),
        _declared(
            "narrow",
            "the same view, of which each client asks for one room: nothing is saved",
            "active_game_per_sender WHERE room = {i}",
            "settle_street({i})",
            seeks="S*(4*G+1)+1",
            view_calls="S",
            rows_scanned="S*4*G+1",
        ),
        _declared(
            "anonymous",
            "the same body for everybody, without the caller's own row",
            "active_game_anonymous",
            "settle_street({i})",
            seeks="4*G*P+1",
            view_calls="P",
            rows_scanned="4*G*P+1",
        ),
        _declared(
            "split",
            "the body for everybody, and a small view for the caller's own row",
            "active_game_anonymous; my_practice_room",
            "settle_street({i})",
            seeks="4*G*P+1",
            view_calls="P",
            rows_scanned="4*G*P+1",
            **_PRACTICE,
        ),
        _declared(
            "query_per_sender",
            "a query-builder view, run anew for each client; its seeks are not counted",
            "listed_room_query_per_sender",
            "settle_street({i})",
            seeks="1",
            view_calls="S",
            rows_scanned="1",
        ),
        _declared(
            "query_anonymous",
            "the same query for everybody, run anew once per write; likewise not counted",
            "listed_room_query_anonymous",
            "settle_street({i})",
            seeks="1",
            view_calls="P",
            rows_scanned="1",
        ),
        _declared(
            "parameterized",
            "a view with a room argument, each client in one room; writes to rooms in use",
            "active_game_in_room({i})",
            "settle_street({i})",
            seeks="4*P+1",
            view_calls="P",
            rows_scanned="4*P+1",
        ),
        _declared(
            "projection",
            "a table the reducer keeps up to date, and a small view for the caller's own row",
            "lobby_projection; my_practice_room",
            "settle_street_projected({i})",
            seeks="2",
            view_calls="0",
            rows_scanned="2",
            **_PRACTICE,
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
    seed=Call("seed_entrants({rows})"),
    arms=(
        _declared(
            "per_sender",
            "two field-wide views, each materialized once per client",
            "standings_per_sender; field_per_sender",
            "settle_hand({i})",
            seeks="2*S+1",
            view_calls="2*S",
            rows_scanned="2*S*F+1",
        ),
        _declared(
            "one_anonymous",
            "one of the two views made anonymous",
            "standings_anonymous; field_per_sender",
            "settle_hand({i})",
            seeks="S+P+1",
            view_calls="S+P",
            rows_scanned="(S+P)*F+1",
        ),
        _declared(
            "anonymous",
            "both views anonymous",
            "standings_anonymous; field_anonymous",
            "settle_hand({i})",
            seeks="2*P+1",
            view_calls="2*P",
            rows_scanned="2*P*F+1",
        ),
        _declared(
            "projection",
            "two tables that the reducer keeps up to date",
            "standings_projection; field_projection",
            "settle_hand_projected({i})",
            seeks="1",
            view_calls="0",
            rows_scanned="1",
        ),
    ),
    default_arms=("per_sender", "one_anonymous", "anonymous", "projection"),
)

SCENARIOS = {scenario.name: scenario for scenario in (LOBBY, TOURNAMENT)}

"""A module of the user's own as a scenario: its views, its write, what it is expected to count."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from analyzer.arms import COUNTS, Arm, Scenario
from analyzer.calls import Call, tables
from analyzer.errors import UsageError
from analyzer.formula import Formula

OWN_FLAGS = ("views", "write", "seed_call", "client_call", "expect", "rows", "i_own_this_database")
"""Flags that say nothing about our own modules."""
_ARM_KEYS = ("name", "views", "write", "client_call", "every", "rows_of", "expect")
_NAME = re.compile(r"[A-Za-z0-9_]+")


def own_scenario(flags: Mapping[str, Any], arms: Sequence[Mapping[str, Any]]) -> Scenario | None:
    """The scenario of `--module` or `--database`; None when neither is given.

    `flags` are those of `analyzer.cli.options`; `arms` the `[[arm]]` tables of a sweep file, each
    a view design, in whose place `--view` makes one. Raises UsageError naming the flag or key.
    """
    module, database = flags["module"], flags["database"]
    if not (module or database):
        for name in OWN_FLAGS:
            if flags[name]:
                flag = "--view" if name == "views" else f"--{name.replace('_', '-')}"
                raise UsageError(f"{flag} goes with --module FILE or --database NAME")
        if arms:
            raise UsageError("[[arm]] goes with a module or a database of your own")
        return None
    for name in ("rooms", "entrants"):
        if flags[name]:
            raise UsageError(f"--{name} goes with a module of ours: write --rows")
    if module and database:
        raise UsageError("--module and --database exclude each other")
    if database:
        _check_owned(flags)
    if arms and (flags["views"] or flags["expect"]):
        raise UsageError("--view and --expect describe one arm: they exclude [[arm]] tables")
    if not arms:
        arms = [{"views": flags["views"], "expect": _expectations(flags["expect"])}]
    designs = tuple(_arm(arm, flags) for arm in arms)
    names = tuple(arm.name for arm in designs)
    for arm in designs:
        if names.count(arm.name) > 1:
            raise UsageError(f"two arms are called {arm.name!r}")
        if arm.rows_of and arm.rows_of not in names:
            raise UsageError(f"arm {arm.name!r}: rows_of names no arm: {arm.rows_of!r}")
    return Scenario(
        name="-".join(["own", *re.findall(r"\w+", Path(module).stem if module else database)]),
        module=module or "",
        database=database or "",
        row_flag="rows",
        row_noun="row",
        row_symbol="R",
        seed=Call(flags["seed_call"]) if flags["seed_call"] else None,
        arms=designs,
        default_arms=names,
    )


def nearest(word: str, known: Collection[str]) -> str:
    """Words that help who wrote `word` for one of `known`."""
    close = difflib.get_close_matches(word, known, n=1, cutoff=0.5)
    return f"did you mean {close[0]!r}?" if close else f"known are {', '.join(sorted(known))}"


def _check_owned(flags: Mapping[str, Any]) -> None:
    """A sweep writes to the database, and its views cost everybody for a while."""
    name = flags["database"]
    if not flags["server"]:
        raise UsageError("--database goes with --server URL: where is it?")
    if flags["i_own_this_database"] != name:
        raise UsageError(
            f"--database {name}: a sweep writes to it and loads it heavily: "
            f"add --i-own-this-database {name} if it is yours"
        )


def _arm(table: Mapping[str, Any], flags: Mapping[str, Any]) -> Arm:
    for key in table:
        if key not in _ARM_KEYS:
            raise UsageError(f"[[arm]]: unknown key {key!r}: {nearest(key, _ARM_KEYS)}")
    views, write = table.get("views"), table.get("write") or flags["write"]
    views = [views] if isinstance(views, str) else views
    every, expected = table.get("every", 1), table.get("expect") or {}
    if type(every) is not int or every < 1:
        raise UsageError(f"[[arm]]: every = {every!r}: it takes a whole number, 1 or more")
    if not isinstance(expected, Mapping):
        raise UsageError('[[arm]]: write expectations as expect = { seeks = "S*R+1" }')
    if not views:
        raise UsageError("--view is missing: name the view that clients subscribe to")
    if not write:
        raise UsageError("--write is missing: give the write to measure, as 'reducer({i})'")
    queries = tuple(_query(str(view)) for view in views)
    name = str(table.get("name") or "_".join(name for query in queries for name in tables(query)))
    if not _NAME.fullmatch(name):
        raise UsageError(f"arm {name!r}: a name is made of letters, digits and _")
    call = table.get("client_call") or flags["client_call"]
    return Arm(
        name=name,
        summary="",
        queries=queries,
        write=Call(write),
        client_call=Call(call) if call else None,
        every=every,
        rows_of=table.get("rows_of", ""),
        **_counts(expected),
    )


def _query(view: str) -> str:
    return view if view.lstrip().lower().startswith("select ") else f"SELECT * FROM {view}"


def _expectations(texts: Sequence[str]) -> dict[str, str]:
    pairs = [text.partition("=") for text in texts]
    for text, (_, sign, _) in zip(texts, pairs, strict=True):
        if not sign:
            raise UsageError(f"--expect {text!r}: write it as 'seeks=S*(4*R+1)+1'")
    return {name.strip(): count for name, _, count in pairs}


def _counts(expected: Mapping[str, Any]) -> dict[str, Formula]:
    for name in expected:
        if name not in COUNTS:
            raise UsageError(f"nothing is counted as {name!r}: {nearest(name, COUNTS)}")
    return {name: Formula(str(count)) for name, count in expected.items()}

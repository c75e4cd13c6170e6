"""What a live database says of its views: kinds from the schema, calls and cost from the metrics.

Read-only: nothing is called, subscribed to or written.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from analyzer.metrics import families as f
from analyzer.metrics.parse import parse
from analyzer.metrics.snapshot import Snapshot
from analyzer.stdb.http import StdbHttp
from analyzer.stdb.schema import Schema, View


@dataclass(frozen=True, slots=True)
class ViewUse:
    """A view and what it has cost since the server started; None is unknown, never zero."""

    view: View
    calls: int | None
    """Runs for any cause: writes, and the first subscription of each instance."""
    total_ms: float | None
    """Bodies and materialization, inside the write lock; without the read-set merge."""

    @property
    def call_ms(self) -> float | None:
        return self.total_ms / self.calls if self.total_ms is not None and self.calls else None


@dataclass(frozen=True, slots=True)
class ReducerUse:
    """A reducer that made views run."""

    name: str
    writes: int | None
    """Committed."""
    view_calls: int
    reducer_ms: float | None
    """Lock time so far (transaction type Reducer), views included."""


@dataclass(frozen=True, slots=True)
class Inspection:
    database: str
    identity: str
    version: str
    """Of the server."""
    views: tuple[ViewUse, ...]
    reducers: tuple[ReducerUse, ...]

    @property
    def questions(self) -> tuple[str, ...]:
        """What only the author can answer: whether each per-sender view needs its sender."""
        return tuple(
            f"does {use.view.name} read its sender? It runs once per connected identity on every "
            "write to what it reads; if it does not, one anonymous view would run once for all"
            for use in self.views
            if not use.view.anonymous
        )

    def to_dict(self) -> dict[str, Any]:
        return {**asdict(self), "questions": list(self.questions)}


async def inspect(http: StdbHttp, database: str) -> Inspection:
    """Inspect a database by name or identity. Raises HttpError when there is none."""
    identity = await http.identity(database)
    schema = Schema(await http.schema(database))
    page = parse(await http.metrics(), url=f"{http.base_url}/v1/metrics", database=identity)
    return Inspection(
        database,
        identity,
        await http.version(),
        tuple(_view(view, page) for view in schema.views),
        _reducers(page, {view.name for view in schema.views}),
    )


def _view(view: View, page: Snapshot) -> ViewUse:
    total_us = page.value(f.VIEW_TOTAL_US, view=view.name)
    return ViewUse(
        view,
        _whole(page.value(f.VIEW_RUNS, view=view.name)),
        None if total_us is None else total_us / 1e3,
    )


def _reducers(page: Snapshot, views: set[str]) -> tuple[ReducerUse, ...]:
    """Dearest first. The family has empty series under the names of views as well."""
    labels = {dict(have)["reducer"] for have in page.series(f.VIEW_CALLS)} - views
    found = []
    for name in labels:
        calls = _whole(page.value(f.VIEW_CALLS, reducer=name))
        seconds = page.value(f"{f.TXN_CPU}_sum", txn_type="Reducer", reducer=name)
        writes = page.value(f.TXNS, txn_type="Reducer", reducer=name, committed="true")
        if calls:
            spent_ms = None if seconds is None else seconds * 1e3
            found.append(ReducerUse(name, _whole(writes), calls, spent_ms))
    return tuple(sorted(found, key=lambda use: (-(use.reducer_ms or 0.0), use.name)))


def _whole(value: float | None) -> int | None:
    return None if value is None else round(value)

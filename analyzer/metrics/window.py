"""What one reducer of one database cost between two scrapes."""

from __future__ import annotations

from dataclasses import dataclass

from analyzer.metrics import families as f
from analyzer.metrics.changes import resets, rises, tally, total
from analyzer.metrics.snapshot import Labels, Snapshot


@dataclass(frozen=True, slots=True)
class Window:
    """Differences of counters. None is unknown; a series that began inside counts from zero.

    A write is two transactions under the reducer's label: `Reducer` (view refresh included) and
    `Update` (subscription evaluation, while writers still wait). All other types are other
    people's time. The duration a call returns leaves views out and is never used.
    """

    before: Snapshot
    after: Snapshot
    database: str
    reducer: str

    @property
    def committed(self) -> int | None:
        return self._transactions("true")

    @property
    def rolled_back(self) -> int | None:
        return self._transactions("false")

    @property
    def reducer_s(self) -> float | None:
        return self._difference(f"{f.TXN_CPU}_sum", txn_type="Reducer", reducer=self.reducer)

    @property
    def reducer_count(self) -> int | None:
        """Committed and rolled back."""
        return self._count(f"{f.TXN_CPU}_count", txn_type="Reducer", reducer=self.reducer)

    @property
    def update_s(self) -> float | None:
        return self._difference(f"{f.TXN_CPU}_sum", txn_type="Update", reducer=self.reducer)

    @property
    def update_count(self) -> int | None:
        """One for each committed write; the engine evaluates nothing after a rollback."""
        return self._count(f"{f.TXN_CPU}_count", txn_type="Update", reducer=self.reducer)

    @property
    def write_ms(self) -> float | None:
        """Write cost: mean `Reducer` plus mean `Update` transaction."""
        reducer_ms = _mean_ms(self.reducer_s, self.reducer_count)
        update_ms = _mean_ms(self.update_s, self.update_count)
        return None if reducer_ms is None or update_ms is None else reducer_ms + update_ms

    @property
    def wait_s(self) -> float | None:
        """Time the writes waited for the lock."""
        elapsed = self._difference(f"{f.TXN_ELAPSED}_sum", txn_type="Reducer", reducer=self.reducer)
        held = self.reducer_s
        return None if elapsed is None or held is None else max(elapsed - held, 0.0)

    @property
    def index_seeks(self) -> int | None:
        """Of all reducers of this database: the family has no reducer label."""
        return self._count(f.SEEKS, txn_type="Reducer")

    @property
    def update_seeks(self) -> int | None:
        return self._count(f.SEEKS, txn_type="Update")

    @property
    def rows_scanned(self) -> int | None:
        return self._count(f.ROWS_SCANNED, txn_type="Reducer")

    @property
    def bytes_written(self) -> int | None:
        return self._count(f.BYTES_WRITTEN, txn_type="Reducer")

    @property
    def bytes_sent(self) -> int | None:
        return self._count(f.BYTES_SENT, txn_type="Update")

    @property
    def delta_queries(self) -> int | None:
        return self._count(f.DELTA_QUERIES)

    @property
    def view_calls(self) -> int | None:
        return self._count(f.VIEW_CALLS, reducer=self.reducer)

    @property
    def view_runs(self) -> int | None:
        """Runs of all views for any cause: more than `view_calls` when someone subscribed."""
        return self._count(f.VIEW_RUNS)

    @property
    def view_total_s(self) -> float | None:
        """View bodies and materialization, over all views; a part of `reducer_s`, not on top."""
        return _seconds(self._of_views(f.VIEW_TOTAL_US))

    @property
    def view_body_s(self) -> float | None:
        return _seconds(self._of_views(f.VIEW_BODY_US))

    @property
    def reducer_body_s(self) -> float | None:
        """The reducer's own body; on servers without view families its views are inside."""
        return _seconds(self._difference(f.REDUCER_BODY_US, reducer=self.reducer))

    @property
    def module_s(self) -> float | None:
        """Reducer body and its views, each counted once.

        The reducer family carries the views under their own names as well: that series is never
        added, here or elsewhere. Servers with view families keep views out of the reducer's
        series, so they are added from there; older ones have them inside.
        """
        body = self.reducer_body_s
        if not self.after.series(f.VIEW_TOTAL_US, db=self.database):
            return body
        views = self.view_total_s
        return None if body is None or views is None else body + views

    @property
    def fuel(self) -> int | None:
        """WASM fuel of the reducer and of all views, but of no other reducer.

        Unknown where something else ran and the server does not tell views from reducers.
        """
        own = self._difference(f.FUEL, reducer=self.reducer)
        rose = {dict(have)["reducer"]: by for have, by in self._rises(f.FUEL).items()}
        others = {name: by for name, by in rose.items() if name != self.reducer and by != 0}
        tells = self.after.series(f.VIEW_CALLS, db=self.database, reducer=self.reducer)
        if own is None or (others and not tells):
            return None
        views = {dict(have)["view"] for have in self.after.series(f.VIEW_RUNS, db=self.database)}
        return _whole(total([own, *(others[name] for name in others.keys() & views)]))

    @property
    def disconnections(self) -> dict[str, int]:
        """Clients that the server disconnected or lost, by its own cause; only those that rose."""
        rose = rises(self.before, self.after, f.DISCONNECTIONS, database_identity=self.database)
        return tally((dict(have).get("cause", "unknown"), by) for have, by in rose.items())

    @property
    def foreign(self) -> dict[tuple[str, str], int]:
        """Transactions in this database besides ours, by (type, reducer); only those that rose."""
        ours = {("Reducer", self.reducer), ("Update", self.reducer)}
        named = [(dict(have), by) for have, by in self._rises(f.TXNS).items()]
        kinds = [((n.get("txn_type", ""), n.get("reducer", "")), by) for n, by in named]
        return tally((kind, by) for kind, by in kinds if kind not in ours)

    @property
    def resets(self) -> list[str]:
        """Counters of this database that fell or went: the server restarted or lost its data."""
        return resets(self.before, self.after, self.database)

    def _of_views(self, name: str) -> float | None:
        """No series means that no view ever ran, on a server that tells views from reducers."""
        rose = self._difference(name)
        tells = self.after.series(f.VIEW_CALLS, db=self.database, reducer=self.reducer)
        return 0.0 if rose is None and tells else rose

    def rows_inserted(self, table: str | None = None) -> int | None:
        """Rows the reducer inserted, views' rows included, or those of them in one table.

        An updated row counts: it is deleted and inserted. Absent beside others of its kind is none.
        """
        ours = self._rises(f.ROWS_INSERTED, txn_type="Reducer", reducer_or_query=self.reducer)
        if not ours:
            return None
        wanted = (by for have, by in ours.items() if table in (None, dict(have)["table_name"]))
        return _whole(total([0, *wanted]))

    def _transactions(self, committed: str) -> int | None:
        """A series begins with its first transaction: beside its twin, absent is none."""
        ours = self._rises(f.TXNS, txn_type="Reducer", reducer=self.reducer)
        if not ours:
            return None
        named = (by for have, by in ours.items() if ("committed", committed) in have)
        return _whole(total([0, *named]))

    def _rises(self, name: str, **labels: str) -> dict[Labels, float]:
        return rises(self.before, self.after, name, db=self.database, **labels)

    def _difference(self, name: str, **labels: str) -> float | None:
        return total(self._rises(name, **labels).values())

    def _count(self, name: str, **labels: str) -> int | None:
        return _whole(self._difference(name, **labels))


def lock_share(ms_per_write: float, writes_per_second: float) -> float:
    """Share of the lock (0 to 1 and beyond) that writes of `ms_per_write` take at a rate."""
    return ms_per_write * writes_per_second / 1e3


def _whole(difference: float | None) -> int | None:
    return None if difference is None else round(difference)


def _seconds(microseconds: float | None) -> float | None:
    return None if microseconds is None else microseconds / 1e6


def _mean_ms(seconds: float | None, count: int | None) -> float | None:
    return None if seconds is None or not count else seconds / count * 1e3

"""What one reducer of one database cost between two scrapes."""

from __future__ import annotations

from dataclasses import dataclass

from analyzer.metrics import families as f
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
        return self._count(f.TXNS, txn_type="Reducer", reducer=self.reducer, committed="true")

    @property
    def rolled_back(self) -> int:
        """The series appears with the first rollback, so here absent is none."""
        labels = {"txn_type": "Reducer", "reducer": self.reducer, "committed": "false"}
        return self._count(f.TXNS, **labels) or 0

    @property
    def reducer_s(self) -> float | None:
        return self._difference(f"{f.TXN_CPU}_sum", txn_type="Reducer", reducer=self.reducer)

    @property
    def update_s(self) -> float | None:
        return self._difference(f"{f.TXN_CPU}_sum", txn_type="Update", reducer=self.reducer)

    @property
    def update_count(self) -> int | None:
        return self._count(f"{f.TXN_CPU}_count", txn_type="Update", reducer=self.reducer)

    @property
    def wait_s(self) -> float | None:
        """Time the writes waited for the lock."""
        labels = {"txn_type": "Reducer", "reducer": self.reducer}
        elapsed = self._difference(f"{f.TXN_ELAPSED}_sum", **labels)
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
    def view_total_s(self) -> float | None:
        """View bodies and materialization, over all views; a part of `reducer_s`, not on top."""
        return _seconds(self._difference(f.VIEW_TOTAL_US))

    @property
    def view_body_s(self) -> float | None:
        return _seconds(self._difference(f.VIEW_BODY_US))

    @property
    def reducer_body_s(self) -> float | None:
        """The reducer's own body. The same family carries each view's body under its name."""
        return _seconds(self._difference(f.REDUCER_BODY_US, reducer=self.reducer))

    @property
    def fuel(self) -> int | None:
        """WASM fuel of the reducer and of all views."""
        return self._count(f.FUEL)

    @property
    def disconnections(self) -> dict[str, int]:
        """Clients that the server disconnected or lost, by its own cause; only those that rose."""
        risen: dict[str, int] = {}
        for labels, by in self._risen(f.DISCONNECTIONS, database_identity=self.database).items():
            cause = dict(labels).get("cause", "unknown")
            risen[cause] = risen.get(cause, 0) + round(by)
        return risen

    @property
    def foreign(self) -> dict[tuple[str, str], int]:
        """Transactions of others in this database, by (type, reducer)."""
        others: dict[tuple[str, str], int] = {}
        for labels, by in self._risen(f.TXNS, db=self.database).items():
            named = dict(labels)
            kind, reducer = named.get("txn_type", ""), named.get("reducer", "")
            if kind != "Update" and (kind, reducer) != ("Reducer", self.reducer):
                others[kind, reducer] = others.get((kind, reducer), 0) + round(by)
        return others

    @property
    def resets(self) -> list[str]:
        """Counters of this database that fell or went: the server restarted or lost its data."""
        return sorted(
            name
            for name in self.before.values
            if any(
                self.after.values.get(name, {}).get(labels, float("-inf")) < value
                for labels, value in self.before.values[name].items()
                if self.database in dict(labels).values()
            )
        )

    def _difference(self, name: str, **labels: str) -> float | None:
        after = self.after.value(name, db=self.database, **labels)
        if after is None:
            return None
        return after - (self.before.value(name, db=self.database, **labels) or 0.0)

    def _count(self, name: str, **labels: str) -> int | None:
        difference = self._difference(name, **labels)
        return None if difference is None else round(difference)

    def _risen(self, name: str, **labels: str) -> dict[Labels, float]:
        before = self.before.values.get(name, {})
        risen = {
            have: value - before.get(have, 0.0)
            for have, value in self.after.series(name, **labels).items()
        }
        return {have: by for have, by in risen.items() if by > 0}


def lock_share(write_ms: float, writes_per_second: float) -> float:
    """Share of the lock (0 to 1 and beyond) that writes of `write_ms` take at a rate."""
    return write_ms * writes_per_second / 1e3


def _seconds(microseconds: float | None) -> float | None:
    return None if microseconds is None else microseconds / 1e6

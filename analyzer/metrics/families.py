"""The metric families a sweep reads, under the names the server documents.

Label sets vary by version: the labels named here must be there, any other is tolerated.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

TXN_CPU = "spacetime_txn_cpu_time_sec"
"""Seconds. Wall time of a transaction less its wait for the lock; never CPU use."""
TXN_ELAPSED = "spacetime_txn_elapsed_time_sec"
TXNS = "spacetime_num_txns_total"
SEEKS = "spacetime_num_index_seeks_total"
ROWS_SCANNED = "spacetime_num_rows_scanned_total"
ROWS_INSERTED = "spacetime_num_rows_inserted_total"
BYTES_WRITTEN = "spacetime_num_bytes_written_total"
BYTES_SENT = "spacetime_num_bytes_sent_to_clients_total"
DELTA_QUERIES = "spacetime_num_delta_queries_evaluated"
VIEW_CALLS = "view_calls_triggered_by_reducer"
VIEW_RUNS = "view_calls"
"""Every run of a view, the ones that materialize it for a new subscriber included."""
VIEW_BODY_US = "view_call_time_usec"
VIEW_TOTAL_US = "view_total_time_usec"
REDUCER_BODY_US = "reducer_wasm_time_usec"
"""Also emitted under each view's own name, with the view's body."""
FUEL = "reducer_wasmtime_fuel_used"
"""Also emitted under each view's own name."""
DISCONNECTIONS = "spacetime_worker_ws_client_disconnections_total"


@dataclass(frozen=True, slots=True)
class Family:
    name: str
    kind: Literal["counter", "histogram"]
    labels: frozenset[str]
    required: bool = False

    @property
    def series(self) -> tuple[str, ...]:
        """Names of its lines that are kept of a page; buckets are not among them."""
        if self.kind == "histogram":
            return f"{self.name}_sum", f"{self.name}_count"
        return (self.name,)


_TXN = frozenset({"txn_type", "db", "reducer"})
_TYPE = frozenset({"txn_type", "db"})
_REDUCER = frozenset({"db", "reducer"})
_VIEW = frozenset({"db", "view"})

FAMILIES = (
    Family(TXN_CPU, "histogram", _TXN, required=True),
    Family(TXN_ELAPSED, "histogram", _TXN),
    Family(TXNS, "counter", _TXN | {"committed"}, required=True),
    Family(SEEKS, "counter", _TYPE, required=True),
    Family(ROWS_SCANNED, "counter", _TYPE, required=True),
    Family(
        ROWS_INSERTED, "counter", frozenset({"txn_type", "db", "reducer_or_query", "table_name"})
    ),
    Family(BYTES_WRITTEN, "counter", _TYPE),
    Family(BYTES_SENT, "counter", _TYPE),
    Family(DELTA_QUERIES, "counter", frozenset({"db"})),
    Family(VIEW_CALLS, "counter", _REDUCER),
    Family(VIEW_RUNS, "counter", _VIEW),
    Family(VIEW_BODY_US, "counter", _VIEW),
    Family(VIEW_TOTAL_US, "counter", _VIEW),
    Family(REDUCER_BODY_US, "counter", _REDUCER),
    Family(FUEL, "counter", _REDUCER),
    Family(DISCONNECTIONS, "counter", frozenset({"database_identity", "cause"})),
)
"""Without the required ones no write can be accounted for. Older servers lack the view families."""

SERIES = frozenset(name for family in FAMILIES for name in family.series)

"""The metric families a sweep reads, under the names the server documents.

Label sets vary by version: what is named here must match, any other label is tolerated.
"""

from __future__ import annotations

TXN_CPU = "spacetime_txn_cpu_time_sec"
"""Histogram, s. Wall time of a transaction less its wait for the lock; never CPU use."""
TXN_ELAPSED = "spacetime_txn_elapsed_time_sec"
TXNS = "spacetime_num_txns_total"
SEEKS = "spacetime_num_index_seeks_total"
ROWS_SCANNED = "spacetime_num_rows_scanned_total"
BYTES_WRITTEN = "spacetime_num_bytes_written_total"
BYTES_SENT = "spacetime_num_bytes_sent_to_clients_total"
DELTA_QUERIES = "spacetime_num_delta_queries_evaluated"
VIEW_CALLS = "view_calls_triggered_by_reducer"
VIEW_BODY_US = "view_call_time_usec"
VIEW_TOTAL_US = "view_total_time_usec"
REDUCER_BODY_US = "reducer_wasm_time_usec"
"""Also emitted under each view's own name, with the view's body."""
FUEL = "reducer_wasmtime_fuel_used"
DISCONNECTIONS = "spacetime_worker_ws_client_disconnections_total"

REQUIRED = (TXN_CPU, TXNS, SEEKS, ROWS_SCANNED, VIEW_CALLS)
"""A sweep cannot be accounted for without these. They appear with the first transaction."""
OPTIONAL = (
    TXN_ELAPSED, BYTES_WRITTEN, BYTES_SENT, DELTA_QUERIES, VIEW_BODY_US, VIEW_TOTAL_US,
    REDUCER_BODY_US, FUEL, DISCONNECTIONS,
)  # fmt: skip

HISTOGRAMS = (TXN_CPU, TXN_ELAPSED)
SERIES = frozenset(
    [*(name for name in REQUIRED + OPTIONAL if name not in HISTOGRAMS)]
    + [f"{name}{part}" for name in HISTOGRAMS for part in ("_sum", "_count")]
)
"""Names of the lines that are kept of a page; buckets are not among them."""

"""The article's experiments that are no grid of cells: one module each, over the same parts."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Experiment:
    """An experiment as `scenarios` lists it; the verb of its name has the flags."""

    summary: str
    axis: str
    """The flag whose values are compared."""
    symbol: str
    arms: dict[str, str]
    """What is compared at each of them, each with a summary."""


EXPERIMENTS = {
    "tables": Experiment(
        "poker tables opened in one transaction, and their hand loops", "tables", "N",
        {"opening": "the transaction that seats eight bots at each of N tables and deals",
         "hands": "the scheduled reducer that plays them"},
    ),
    "residue": Experiment(
        "what clients that left go on costing, until the cleanup of views", "clients", "S",
        {"leave": "all clients leave at once, some minutes after the launch",
         "churn": "so many a minute leave, each replaced by a new one (--churn)"},
    ),
    "dashboard": Experiment(
        "dashboards that subscribe to everything, against dashboards that read", "dashboards", "D",
        {"subscribe": "subscribed to every table",
         "read": "reads /v1/metrics and one row of totals by SQL every few seconds"},
    ),
    "transport": Experiment(
        "the same transfers over HTTP, WebSocket and pipelined", "calls", "n",
        {"http": "one request a call",
         "websocket": "one call under way on each connection",
         "pipelined": "many calls under way on each connection (--depth)"},
    ),
}  # fmt: skip
"""By the name of their verb, which is also `experiment` in a sweep file."""

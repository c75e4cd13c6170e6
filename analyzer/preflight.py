"""Before the first cell: can this machine and this server carry the sweep at all?"""

from __future__ import annotations

import asyncio

from analyzer.bench import Bench, open_bench
from analyzer.errors import PreflightError
from analyzer.metrics.parse import missing_families
from analyzer.plan import Plan
from analyzer.swarm.generator import check_descriptors
from analyzer.workplace import Workplace

_SPARE_DESCRIPTORS = 64
_DELIVERY_S = 10.0


def check_machine(plan: Plan) -> None:
    """Raises PreflightError with both numbers when the sockets do not fit; publishes nothing."""
    sockets = max(plan.clients) if plan.subscribers == "websocket" else 0
    check_descriptors(sockets + _SPARE_DESCRIPTORS)


async def check_server(plan: Plan, at: Workplace, program: bytes) -> None:
    """One subscriber, one row, one write: what its arm declares must be delivered and counted.

    Raises PreflightError for a server that takes calls but never pushes, or lacks metrics.
    """
    scenario = plan.definition
    arm = scenario.arm(plan.arms[0])
    async with (
        at.databases.fresh("preflight", program, plan.host_type) as database,
        open_bench(
            at.http,
            database,
            arm,
            1,
            seed=scenario.seed,
            owner=at.owner,
            subscribers=plan.subscribers,
            protocol=plan.protocol,
        ) as bench,
    ):
        await bench.swarm.grow_to(1)
        bench.swarm.begin_window()
        run, rows = await bench.write(1, rate=None)
        if run.failed_count:
            raise PreflightError(f"{arm.write.reducer} fails on this server: {run.failed[0]}")
        due = arm.due(1, 1, rows)
        if due and not await bench.swarm.wait_deliveries(due, timeout_s=_DELIVERY_S):
            raise PreflightError(
                f"{at.http.base_url} is alive but not streaming: a write was acknowledged and "
                f"nothing reached its subscriber within {_DELIVERY_S:.0f} s"
            )
        if missing := await _missing(bench):
            raise PreflightError(
                f"{at.http.base_url}/v1/metrics lacks {', '.join(missing)}: "
                "a sweep cannot count on this server"
            )


async def _missing(bench: Bench) -> list[str]:
    """Required families still absent a second after the write: metrics lag the commits."""
    missing: list[str] = []
    for _ in range(20):
        if not (missing := missing_families(await bench.scrape())):
            break
        await asyncio.sleep(0.05)
    return missing

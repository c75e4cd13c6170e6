"""Before the first cell: can this machine and this server carry the sweep at all?"""

from __future__ import annotations

import asyncio

from analyzer.databases import Databases
from analyzer.errors import PreflightError
from analyzer.measure import Bench
from analyzer.metrics.parse import missing_families
from analyzer.plan import Plan
from analyzer.stdb.http import StdbHttp
from analyzer.swarm.generator import check_descriptors
from analyzer.swarm.subscribers import Swarm
from analyzer.swarm.writer import Writer

_SPARE_DESCRIPTORS = 64
_DELIVERY_S = 10.0


def check_machine(plan: Plan) -> None:
    """Raises PreflightError with both numbers when the sockets do not fit; publishes nothing."""
    check_descriptors(max(plan.clients) + _SPARE_DESCRIPTORS)


async def check_server(plan: Plan, http: StdbHttp, databases: Databases, program: bytes) -> None:
    """One subscriber, one row, one write: it must be delivered and counted.

    Raises PreflightError for a server that takes calls but never pushes, or lacks metrics.
    """
    scenario = plan.definition
    arm = scenario.arm(plan.arms[0])
    async with (
        databases.fresh("preflight", program, plan.host_type) as database,
        Swarm(http.base_url, database, arm.queries, protocol=plan.protocol) as swarm,
        Writer(http.base_url, database, protocol=plan.protocol) as writer,
    ):
        await http.call(database, scenario.seed, [1])
        await swarm.grow_to(1)
        swarm.begin_window()
        bench = Bench(http, database, swarm, writer, rows=1)
        run = await bench.write(arm.write, 1, rate=None)
        if run.failed_count:
            raise PreflightError(f"{arm.write} fails on this server: {run.failed[0]}")
        if not await swarm.wait_deliveries(1, timeout_s=_DELIVERY_S):
            raise PreflightError(
                f"{http.base_url} is alive but not streaming: a write was acknowledged and "
                f"nothing reached its subscriber within {_DELIVERY_S:.0f} s"
            )
        if missing := await _missing(bench):
            raise PreflightError(
                f"{http.base_url}/v1/metrics lacks {', '.join(missing)}: "
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

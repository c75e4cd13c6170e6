"""What a subscriber costs this process: CPU per delivered message, CPU and memory per client.

    python tests/bench/bench_swarm.py [--clients 1000] [--fast] [--server URL]

Each client library runs in a process of its own, against the embedded engine unless a URL is
given. 200 writes at 20/s, all of them delivered, or the run fails.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import os
import platform
import resource
import struct
import subprocess
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path

from analyzer.build.modules import module_wasm
from analyzer.stdb.http import StdbHttp
from analyzer.swarm.generator import GeneratorGuard, check_descriptors
from analyzer.swarm.loop import run
from analyzer.swarm.subscribers import Swarm
from analyzer.swarm.writer import Writer
from analyzer.target import Target

ROOMS = 64
WRITES, RATE = 200, 20.0
U64 = struct.Struct("<Q")
QUERIES = ["SELECT * FROM active_game_anonymous"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--clients", type=int, default=1000)
    parser.add_argument("--fast", action="store_true", help="only picows, in this process")
    parser.add_argument("--default", action="store_true", help="only websockets, in this process")
    parser.add_argument("--server", metavar="URL")
    parser.add_argument("--wasm", type=Path, help="the lobby module, if not the built one")
    options = parser.parse_args()
    if options.fast or options.default:
        print(machine())
        check_descriptors(options.clients + 64)
        run(measure(options))
        return
    for client in ("--default", "--fast"):
        subprocess.run([sys.executable, *sys.argv, client], check=True)


async def measure(options: argparse.Namespace) -> None:
    wasm = (options.wasm or module_wasm("lobby")).read_bytes()
    with tempfile.TemporaryDirectory() as folder:
        async with Target(url=options.server).open(Path(folder) / "server.log") as server:
            async with StdbHttp(server.url) as http:
                token = (await http.new_identity()).token
            async with StdbHttp(server.url, token=token) as http:
                database = await http.publish(f"bench-swarm-{os.getpid()}", wasm)
                try:
                    await http.call(database, "seed_rooms", [ROOMS])
                    await swarm_cost(server.url, database, options.clients, options.fast)
                finally:
                    await http.delete(database)


async def swarm_cost(url: str, database: str, clients: int, fast: bool) -> None:
    async with (
        Swarm(url, database, QUERIES, fast=fast) as swarm,
        Writer(url, database, fast=fast) as writer,
    ):
        await swarm.grow_to(1)  # imports and first allocations are not a client's cost
        gc.collect()
        rss_kib, cpu_s = resident_kib(), time.process_time()
        await swarm.grow_to(clients + 1)
        connect_ms = (time.process_time() - cpu_s) / clients * 1e3
        client_kib = (resident_kib() - rss_kib) / clients
        await writer.write("settle_street", lambda i: U64.pack(i % ROOMS), 5)
        await swarm.wait_deliveries(5, timeout_s=30)
        swarm.begin_window()
        cpu_s = time.process_time()
        with GeneratorGuard() as guard:
            await writer.write("settle_street", lambda i: U64.pack(i % ROOMS), WRITES, rate=RATE)
            complete = await swarm.wait_deliveries(WRITES, timeout_s=30)
        cpu_us = (time.process_time() - cpu_s) * 1e6
        delivered = sum(swarm.window_deliveries())
        if not complete or delivered != WRITES * swarm.size:
            sys.exit(f"{delivered:,} of {WRITES * swarm.size:,} updates arrived")
    print(
        f"{'picows' if fast else 'websockets':10} {type(asyncio.get_running_loop()).__module__}: "
        f"{cpu_us / delivered:5.1f} us CPU a message, {connect_ms:.2f} ms CPU to connect and "
        f"subscribe, {client_kib:.0f} KiB a client; {clients:,} clients, {delivered:,} updates, "
        f"{guard.cpu_share:.0%} of a core, lag p99 {guard.p99_lag_ms:.0f} ms"
    )


def resident_kib() -> int:
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * resource.getpagesize() // 1024


def machine() -> str:
    packages = ", ".join(f"{name} {version(name)}" for name in ("websockets", "picows", "uvloop"))
    return (
        f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, "
        f"Python {platform.python_version()}, {packages}"
    )


if __name__ == "__main__":
    main()

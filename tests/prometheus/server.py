"""A real Prometheus with the configuration and the rules that `docs/prometheus` ships."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from analyzer.build.cache import CHECKOUT, cache_dir
from analyzer.target.process import last_words

DOCS = CHECKOUT / "docs" / "prometheus"
INTERVAL, RANGE_S = "500ms", 8
"""The rules are written for a scrape every 15 s and a look back of 1 min; here both are shorter."""


def program(name: str) -> str:
    """`prometheus` or `promtool`: the machine's own, or what `make test` put into the cache."""
    unpacked = cache_dir() / "prometheus" / "usr" / "bin"
    path = shutil.which(name, path=f"{os.environ.get('PATH', '')}{os.pathsep}{unpacked}")
    if path is None:
        pytest.fail(
            f"{name} is neither on PATH nor in {unpacked}: `make test` unpacks Debian's package "
            "there where apt-get is; elsewhere install Prometheus (CONTRIBUTING.md)",
            pytrace=False,
        )
    return path


def shortened(text: str) -> str:
    """Rules or configuration with the intervals of a test."""
    rewrites = {
        "_interval: 15s": f"_interval: {INTERVAL}",
        "[1m]": f"[{RANGE_S}s]",
        "offset 1m": f"offset {RANGE_S}s",
    }
    for written, short in rewrites.items():
        text = text.replace(written, short)
    return text


@dataclass(frozen=True, slots=True)
class Prometheus:
    client: httpx.Client

    def api(self, route: str, **parameters: Any) -> Any:
        """The `data` of an answer; a query that Prometheus refuses fails the test."""
        answer = self.client.get(f"/api/v1/{route}", params=parameters).json()
        assert answer["status"] == "success", f"{parameters}: {answer.get('error')}"
        return answer["data"]

    def query(self, expression: str, at: float | None = None) -> dict[str, float]:
        """An instant query: value by the label that tells its series apart, "" when there is one.

        `instance` and `db` do not count, since every test asks for one database.
        """
        moment = {} if at is None else {"time": at}
        found: dict[str, float] = {}
        for series in self.api("query", query=expression, **moment)["result"]:
            labels = series["metric"]
            own = [labels[n] for n in ("reducer", "part", "view", "cause") if n in labels]
            found[" ".join(own)] = float(series["value"][1])
        return found

    def has_data(self, expression: str, since: float, until: float) -> bool:
        """Whether it ever had a value that is a number between the two times."""
        route = {"query": expression, "start": since, "end": until, "step": INTERVAL}
        series = self.api("query_range", **route)["result"]
        return any(value != "NaN" for one in series for _, value in one["values"])

    def rules(self, kind: str) -> list[dict[str, Any]]:
        """The loaded rules of one kind, `recording` or `alerting`."""
        return [r for g in self.api("rules")["groups"] for r in g["rules"] if r["type"] == kind]

    def catch_up(self) -> float:
        """Wait until all that is on the page by now has been scraped and gone through the rules.

        Returns the time of that evaluation, at which it can be queried. On a busy machine single
        scrapes fail; they do not count.
        """
        self._first_after(time.time(), "min(timestamp(up) and up == 1)")
        return self._first_after(
            time.time(), "min(timestamp(database:spacetime_connected_clients:sum))"
        )

    def wait_for_clients(self, database: str, clients: int) -> None:
        gauge = f'spacetime_worker_connected_clients{{database_identity="{database}"}}'
        wait(lambda: self.query(gauge) == {"": clients}, f"{clients} clients connected")

    def _first_after(self, moment: float, timestamp: str) -> float:
        seen = 0.0

        def later() -> bool:
            nonlocal seen
            seen = self.query(timestamp).get("", 0.0)
            return seen > moment

        wait(later, f"{timestamp} > {moment}")
        return seen


def wait(reached: Callable[[], bool], what: str) -> None:
    for _ in range(200):
        if reached():
            return
        time.sleep(0.05)
    raise AssertionError(f"not within 10 s: {what}")


@contextlib.contextmanager
def prometheus(folder: Path, target: str) -> Iterator[Prometheus]:
    """Started on a free loopback port, with its data in `folder`; ended with the context."""
    for rules in ("recording-rules.yml", "alerts.yml"):
        (folder / rules).write_text(shortened((DOCS / rules).read_text()))
    settings = (DOCS / "prometheus.yml").read_text()
    assert "localhost:3000" in settings
    (folder / "prometheus.yml").write_text(shortened(settings).replace("localhost:3000", target))
    with socket.create_server(("127.0.0.1", 0)) as free:
        address = f"127.0.0.1:{free.getsockname()[1]}"
    log = folder / "prometheus.log"
    command = [
        program("prometheus"),
        f"--config.file={folder / 'prometheus.yml'}",
        f"--storage.tsdb.path={folder / 'data'}",
        f"--web.listen-address={address}",
        "--log.level=warn",
    ]
    with log.open("ab") as errors:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=errors, stderr=errors)
    try:
        with httpx.Client(base_url=f"http://{address}", trust_env=False, timeout=10) as client:
            wait(lambda: _ready(process, client, log), "Prometheus answers")
            yield Prometheus(client)
    finally:
        process.terminate()
        try:
            process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _ready(process: subprocess.Popen[bytes], client: httpx.Client, log: Path) -> bool:
    assert process.poll() is None, f"Prometheus ended: {last_words(log)}"
    with contextlib.suppress(httpx.TransportError):
        return client.get("/-/ready").is_success
    return False

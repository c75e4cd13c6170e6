"""An engine process with a temporary folder of its own."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self

import httpx


class Engine:
    def __init__(self, binary: Path, folder: Path, *flags: str) -> None:
        self.temporary = folder / "tmp"
        self.temporary.mkdir(exist_ok=True)
        self.log = folder / "engine.log"
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [binary, "--listen=127.0.0.1:0", "--exit-with-stdin", *flags],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                env=os.environ | {"TMPDIR": str(self.temporary)},
            )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, self.log.read_text()
        self.ready = json.loads(line)
        self.address: str = self.ready["listen"]
        self.url = f"http://{self.address}"

    def client(self) -> httpx.Client:
        return httpx.Client(base_url=self.url, timeout=60, trust_env=False)

    def metric(self, name: str, **labels: str) -> float:
        """The sum over all series of the family that carry these labels; absent is an error."""
        page = httpx.get(f"{self.url}/v1/metrics", trust_env=False).text
        line = re.compile(rf"^{name}(?:\{{(.*)\}})? (\S+)$", re.MULTILINE)
        wanted = {f'{label}="{value}"' for label, value in labels.items()}
        values = [
            float(value) for given, value in line.findall(page) if wanted <= set(given.split(","))
        ]
        if not values:
            raise KeyError(f"{name} {labels}")
        return sum(values)

    def resident_mib(self) -> float:
        pages = int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 2**20

    def close_stdin(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()

    def terminate(self) -> None:
        self.process.send_signal(signal.SIGTERM)

    def wait(self) -> int:
        return self.process.wait(timeout=20)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                pipe.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.kill()


def eventually(condition: Callable[[], bool], *, within_s: float = 10) -> None:
    """Wait for something that the engine does a moment later."""
    deadline = time.monotonic() + within_s
    while not condition():
        assert time.monotonic() < deadline, "did not happen in time"
        time.sleep(0.02)

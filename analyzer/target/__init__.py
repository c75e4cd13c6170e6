"""Three ways to a server: the embedded engine, the user's binary, a running one by URL."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path

from analyzer.errors import UsageError
from analyzer.target.binary import server_binary
from analyzer.target.embedded import embedded
from analyzer.target.remote import running_server
from analyzer.target.server import Server, server_url

__all__ = ["Server", "Target"]


@dataclass(frozen=True, slots=True)
class Target:
    """Which server to measure; nothing given means the embedded engine."""

    binary: Path | None = None
    url: str | None = None
    token_file: Path | None = None
    allow_remote: bool = False

    def __post_init__(self) -> None:
        if self.binary is not None and self.url is not None:
            raise UsageError("--server-bin and --server exclude each other")
        if self.token_file is not None and self.url is None:
            raise UsageError("--token-file goes with --server")
        if self.url is not None:
            server_url(self.url, allow_remote=self.allow_remote)

    @property
    def is_embedded(self) -> bool:
        return self.binary is None and self.url is None

    @property
    def is_own(self) -> bool:
        """Whether the server starts and ends with us, and its databases with it."""
        return self.url is None

    def open(self, log: Path) -> AbstractAsyncContextManager[Server]:
        """Start or reach the server; one of our own logs to `log` and ends with the context."""
        if self.binary is not None:
            return server_binary(self.binary, log)
        if self.url is not None:
            return running_server(
                self.url, token_file=self.token_file, allow_remote=self.allow_remote
            )
        return embedded(log)

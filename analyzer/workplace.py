"""Where measuring happens: a server, a client that owns databases there, a folder that is held."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path

from analyzer.databases import Databases, leftovers, own_databases, owner_token
from analyzer.folder import JOURNAL, SERVER_LOG, tidy
from analyzer.stdb.http import StdbHttp
from analyzer.target import Server, Target


@dataclass(frozen=True, slots=True)
class Workplace:
    server: Server
    owner: str
    """The token under which databases are made."""
    http: StdbHttp
    databases: Databases


@contextlib.asynccontextmanager
async def workplace(
    path: Path, target: Target, note: Callable[[str], None]
) -> AsyncIterator[Workplace]:
    """Open the target's server for a run in the folder `path`, and leave all in order.

    Raises what opening the target raises.
    """
    try:
        async with (
            target.open(path / SERVER_LOG) as server,
            StdbHttp(server.url, token=(owner := await owner_token(server))) as http,
            own_databases(server, http, path / JOURNAL, note) as databases,
        ):
            yield Workplace(server, owner, http, databases)
    finally:
        tidy(path, leftovers=not target.is_own and bool(leftovers(path / JOURNAL)))

"""Databases of the sweep's own: uniquely named, journalled, deleted on every exit.

Nothing else is ever published to or deleted. The journal in the run directory names what a
killed sweep left on a server that outlived it, so that the next sitting can clear it away.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import secrets
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path

from analyzer.build.cache import cache_dir
from analyzer.errors import HttpError, RunError
from analyzer.folder import writing
from analyzer.stdb.http import StdbHttp
from analyzer.target import Server
from analyzer.target.server import is_token

PREFIX = "stdb-sweep-"
_DELETE_S = 10.0
_KEPT_S = 90 * 86_400.0


class Databases:
    def __init__(self, http: StdbHttp, journal: Path) -> None:
        self._http = http
        self._journal = journal

    @contextlib.asynccontextmanager
    async def fresh(
        self, label: str, program: bytes, host_type: str = "Wasm"
    ) -> AsyncIterator[str]:
        """Publish `program` under a new name; yields the database identity (64 hex digits).

        Raises HttpError with the server's own words when it cannot be published.
        """
        words = "-".join(re.findall("[a-z0-9]+", label.lower()))
        name = f"{PREFIX}{words}-{secrets.token_hex(4)}"
        self._note("created", name)
        try:
            yield await self._published(name, program, host_type)
        finally:
            # A second Ctrl-C must not leave the database behind.
            await asyncio.shield(self._delete(name))

    async def _published(self, name: str, program: bytes, host_type: str) -> str:
        try:
            return await self._http.publish(name, program, host_type=host_type)
        except HttpError as error:
            if error.status is not None and 400 <= error.status < 500:
                self._note("refused", name)
            if host_type == "Js" and error.status is not None:
                error.add_note(
                    "if this server has no V8, name one that has, with --server or --server-bin"
                )
            raise

    async def clear_leftovers(self) -> int:
        """Delete what an earlier, killed sitting left on this server. Returns how many."""
        names = leftovers(self._journal)
        for name in names:
            await self._delete(name)
        return len(names)

    async def _delete(self, name: str) -> None:
        """Best effort: a server that is gone has taken the database along, or keeps its name."""
        try:
            await asyncio.wait_for(self._http.delete(name), _DELETE_S)
        except HttpError as error:
            if error.status != 404:
                return
        except TimeoutError:
            return
        # Unnoted it is deleted twice, which does no harm; an error here would hide the first one.
        with contextlib.suppress(RunError):
            self._note("deleted", name)

    def _note(self, what: str, name: str) -> None:
        with writing(self._journal), self._journal.open("a", encoding="utf-8") as file:
            file.write(f"{what} {name}\n")


@contextlib.asynccontextmanager
async def own_databases(
    server: Server, http: StdbHttp, journal: Path, note: Callable[[str], None]
) -> AsyncIterator[Databases]:
    """The databases of one run; notes which are left on a server that outlives the sweep."""
    databases = Databases(http, journal)
    await databases.clear_leftovers()
    try:
        yield databases
    finally:
        if server.kind == "remote" and (left := leftovers(journal)):
            note(
                f"left on {server.url}: {', '.join(left)}; "
                f"the next sweep with --out {journal.parent} deletes them"
            )


def leftovers(journal: Path) -> list[str]:
    """Names whose creation was noted, not refused and not undone; the journal may be missing."""
    names: dict[str, None] = {}
    if journal.is_file():
        for line in journal.read_text(encoding="utf-8", errors="replace").splitlines():
            what, _, name = line.partition(" ")
            if what == "created" and name.startswith(PREFIX):
                names[name] = None
            elif what in ("deleted", "refused"):
                names.pop(name, None)
    return list(names)


async def owner_token(server: Server) -> str:
    """The token under which databases are made on this server.

    The user's own when one was given. Otherwise one the server mints, kept in the cache for
    servers that outlive the sweep (mode 0600), since only the owner can delete a leftover.
    """
    if server.token is not None:
        return server.token
    async with StdbHttp(server.url) as http:
        if server.kind != "remote":
            return (await http.new_identity()).token
        kept = cache_dir() / "owners" / server.url.replace("://", "-").replace(":", "-")
        with writing(kept):
            earlier = kept.read_text(encoding="utf-8", errors="replace") if kept.is_file() else ""
        known = is_token(earlier) and await _accepted(server.url, earlier)
        token = earlier if known else (await http.new_identity()).token
        with writing(kept):
            _keep_secret(kept, token)
            _forget_old(kept.parent)
        return token


def _keep_secret(path: Path, text: str) -> None:
    """Whole or not at all, and never readable by others, not even for a moment."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    fresh = path.with_name(f"{path.name}.{os.getpid()}")
    fresh.touch(mode=0o600)
    fresh.write_text(text, encoding="ascii")
    fresh.replace(path)


def _forget_old(folder: Path) -> None:
    """A server on a port of chance does not come again; each use makes a token's file anew."""
    for path in folder.iterdir():
        with contextlib.suppress(FileNotFoundError):  # another sweep does the same
            if path.stat().st_mtime < time.time() - _KEPT_S:
                path.unlink()


async def _accepted(url: str, token: str) -> bool:
    """A server with new keys refuses the tokens of its old ones."""
    async with StdbHttp(url, token=token) as http:
        try:
            await http.schema("stdb-sweep-no-such-database")
        except HttpError as error:
            return error.status == 404
    return True

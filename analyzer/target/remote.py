"""A server that runs already, by its URL."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

from analyzer.errors import UsageError
from analyzer.stdb.http import StdbHttp
from analyzer.target.server import Server, is_token, server_url


@contextlib.asynccontextmanager
async def running_server(
    url: str, *, token_file: Path | None = None, allow_remote: bool = False
) -> AsyncIterator[Server]:
    """Check that a SpacetimeDB server answers at `url`.

    Raises UsageError for a URL that may not be measured, TargetError when it is no such server.
    """
    checked = server_url(url, allow_remote=allow_remote)
    token = read_token(token_file) if token_file else None
    async with StdbHttp(checked, token=token) as http:
        yield Server(checked, "remote", await http.version(), token=token)


def read_token(path: Path) -> str:
    """The token in a file, one line. Raises UsageError when there is none."""
    try:
        token = path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError as error:
        raise UsageError(f"--token-file {path}: {error.strerror}") from None
    if not is_token(token):
        raise UsageError(f"--token-file {path}: it must hold one token on one line")
    return token

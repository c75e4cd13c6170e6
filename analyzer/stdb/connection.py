"""A WebSocket to a database, with every default that could end a run set on purpose."""

from __future__ import annotations

import asyncio
import importlib.util
import logging
from functools import partial
from types import ModuleType
from typing import Protocol, cast
from urllib.parse import quote

import websockets
from websockets.asyncio.client import connect
from websockets.typing import Subprotocol

from analyzer.errors import HttpError, PreflightError, UsageError
from analyzer.stdb.words import one_line, unreachable

PROTOCOLS = ("v2.bsatn", "v3.bsatn")

_OPEN_S = 30.0
_CLOSE_S = 2.0

# At level DEBUG the library logs every header, and so the token.
_LOGGER = logging.getLogger("stdb-sweep.websocket")
_LOGGER.setLevel(logging.WARNING)


class Connection(Protocol):
    """What the swarm needs of a connection; `websockets` and `picows.websockets` both have it."""

    async def recv(self) -> bytes:
        """The next whole message. Raises one of `CLOSED` when the connection has ended."""

    async def send(self, message: bytes) -> None: ...

    async def close(self) -> None:
        """Idempotent; takes about 2 s at most."""

    @property
    def subprotocol(self) -> str | None: ...


class _Connect(connect):
    def process_redirect(self, exc: Exception) -> Exception | str:
        return exc


def fast_available() -> bool:
    """Whether the `[fast]` extra (picows) is installed."""
    return importlib.util.find_spec("picows") is not None


def wants_picows(client: str) -> bool:
    """The user's choice `auto`, `websockets` or `picows`; auto takes picows where it is installed.

    Raises PreflightError for picows that is not installed.
    """
    if client == "picows" and not fast_available():
        raise PreflightError("picows is not installed: pip install 'stdb-sweep[fast]'")
    return client == "picows" or (client == "auto" and fast_available())


def closed_errors() -> tuple[type[Exception], ...]:
    """What `recv` and `send` raise on a connection that has ended."""
    errors: tuple[type[Exception], ...] = (websockets.ConnectionClosed,)
    if fast_available():
        errors += (_library(fast=True).ConnectionClosed,)
    return errors


def closing_text(error: Exception) -> str:
    """Code and reason of an ended connection, such as `1009 message too big`."""
    frame = getattr(error, "rcvd", None) or getattr(error, "sent", None)
    if frame is None:
        return "1006 connection lost"
    return f"{int(frame.code)} {frame.reason or ''}".rstrip()


async def open_connection(
    server_url: str,
    database: str,
    *,
    token: str | None = None,
    protocol: str = "v2.bsatn",
    fast: bool = False,
) -> Connection:
    """Connect to a database; without a token the server mints a fresh identity.

    Raises HttpError with the server's words when it refuses or cannot be reached within 30 s,
    UsageError for a protocol that is none of `PROTOCOLS`.
    """
    if protocol not in PROTOCOLS:
        raise UsageError(f"there is no protocol {protocol!r}: choose from {', '.join(PROTOCOLS)}")
    url = f"ws{server_url.removeprefix('http').rstrip('/')}/v1/database/{quote(database, safe='')}"
    url += "/subscribe"
    library = _library(fast)
    connect_to = partial(library.connect, max_redirects=0) if fast else _Connect
    wanted = Subprotocol(f"{protocol}.spacetimedb")
    try:
        async with asyncio.timeout(_OPEN_S):
            connection = await connect_to(
                f"{url}?compression=None&confirmed=false",
                subprotocols=[wanted],
                additional_headers={"Authorization": f"Bearer {token}"} if token else {},
                compression=None,
                proxy=None,
                max_size=None,
                max_queue=None,
                ping_interval=None,
                open_timeout=None,
                close_timeout=_CLOSE_S,
                logger=_LOGGER,
            )
    except library.InvalidStatus as refusal:
        if fast:
            # picows drops the body of a refusal: ask again for the server's words.
            return await open_connection(server_url, database, token=token, protocol=protocol)
        raise _refused(refusal, url) from None
    except TimeoutError:
        raise HttpError(f"{url}: no WebSocket within {_OPEN_S:.0f} s", url=url) from None
    except AssertionError:
        # picows asserts, without words, when the server goes away in mid-handshake.
        raise HttpError(unreachable(url, EOFError("it left in mid-handshake")), url=url) from None
    except OSError as error:
        raise HttpError(unreachable(url, error), url=url) from None
    except library.WebSocketException as error:
        raise HttpError(
            f"{url} is no SpacetimeDB WebSocket: {one_line(str(error))}", url=url
        ) from None
    if connection.subprotocol != wanted:
        await connection.close()
        raise HttpError(f"{url}: the server does not speak {protocol}", url=url)
    return cast(Connection, connection)


def _library(fast: bool) -> ModuleType:
    if not fast:
        return websockets
    import picows.websockets

    return picows.websockets


def _refused(refusal: Exception, url: str) -> HttpError:
    response = refusal.response  # type: ignore[attr-defined]
    status = int(response.status_code)
    words = one_line(bytes(response.body or b"").decode("utf-8", errors="replace"))
    if status == 401:
        return HttpError(f"{url}: the token was refused (401): {words}", url=url, status=status)
    return HttpError(f"{url} refused the WebSocket: {status} {words}", url=url, status=status)

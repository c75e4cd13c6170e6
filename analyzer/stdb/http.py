"""The HTTP API of a SpacetimeDB server."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

import httpx

from analyzer.closing import Closing
from analyzer.errors import HttpError, TargetError
from analyzer.stdb.words import cause, one_line, unreachable

_PUBLISH_S = 180.0

# At level DEBUG it logs response headers, where servers put freshly minted tokens.
logging.getLogger("httpcore").setLevel(logging.INFO)


@dataclass(frozen=True, slots=True)
class Identity:
    identity: str
    """64 hex digits."""
    token: str = field(repr=False)


class StdbHttp(Closing):
    """Speaks to one server; an async context manager.

    Every method raises HttpError, one line with the URL, when the server cannot be reached,
    refuses, or takes longer than `timeout_s` seconds (180 for `publish`).
    """

    def __init__(self, base_url: str, token: str | None = None, timeout_s: float = 30.0) -> None:
        self.base_url = base_url.rstrip("/")
        self._timeout_s = timeout_s
        self._client = httpx.AsyncClient(
            headers={"Authorization": f"Bearer {token}"} if token else {},
            trust_env=False,  # no proxy from the environment, above all not for loopback
            follow_redirects=False,
            timeout=None,  # one bound for the whole answer instead, in _request
        )

    async def close(self) -> None:
        await self._client.aclose()

    def __repr__(self) -> str:
        return f"StdbHttp({self.base_url})"

    async def ping(self) -> None:
        await self._request("GET", "/v1/ping")

    async def version(self) -> str:
        """The server's version. Raises TargetError when it is no SpacetimeDB server."""
        stranger = f"{self.base_url} is not a SpacetimeDB server"
        try:
            health = _json(await self._request("GET", "/v1/health"))
        except HttpError as error:
            if error.status is None:
                raise
            raise TargetError(f"{stranger}: {error}") from None
        version = health.get("version") if isinstance(health, dict) else None
        if not isinstance(version, str):
            raise TargetError(f"{stranger}: its /v1/health names no version")
        return version

    async def new_identity(self) -> Identity:
        answer = await self._request("POST", "/v1/identity")
        return Identity(_member(answer, "identity"), _member(answer, "token"))

    async def publish(
        self, name: str, program: bytes, *, host_type: str = "Wasm", clear: bool = False
    ) -> str:
        """Create or update the database `name`; returns its identity (64 hex digits).

        A `program` of host type `Js` is the text of a JavaScript module.
        """
        answer = await self._request(
            "PUT",
            f"/v1/database/{quote(name, safe='')}",
            params={"host_type": host_type} | ({"clear": "true"} if clear else {}),
            content=program,
            timeout_s=max(_PUBLISH_S, self._timeout_s),
        )
        return str(_member(answer, "Success", "database_identity"))

    async def delete(self, database: str) -> None:
        await self._request("DELETE", f"/v1/database/{quote(database, safe='')}")

    async def call(self, database: str, reducer: str, args: list[Any]) -> None:
        """Call a reducer over HTTP: three write transactions, so never between two scrapes."""
        await self._database("POST", database, f"call/{quote(reducer, safe='')}", json=args)

    async def sql(self, database: str, text: str) -> list[dict[str, Any]]:
        """One result per statement, with `schema` and `rows`; a write transaction as well."""
        answer = await self._database(
            "POST", database, "sql", params={"confirmed": "false"}, content=text.encode()
        )
        results: list[dict[str, Any]] = _json(answer)
        return results

    async def schema(self, database: str, version: int = 9) -> dict[str, Any]:
        answer = await self._database("GET", database, "schema", params={"version": str(version)})
        schema: dict[str, Any] = _json(answer)
        return schema

    async def identity(self, database: str) -> str:
        """The identity (64 hex digits) of the database of this name."""
        answer = await self._database("GET", database, "identity")
        return answer.text.strip()

    async def names(self, database: str) -> list[str]:
        answer = await self._database("GET", database, "names")
        return [str(name) for name in _member(answer, "names", kind=list)]

    async def logs(self, database: str, lines: int) -> str:
        """The last `lines` log lines, one JSON object a line; for the owner only."""
        answer = await self._database("GET", database, "logs", params={"num_lines": str(lines)})
        return answer.text

    async def metrics(self) -> str:
        """The metrics page. Also raises HttpError for a page that is HTML or empty."""
        answer = await self._request("GET", "/v1/metrics")
        html = "html" in answer.headers.get("content-type", "")
        if html or answer.text.lstrip().startswith("<"):
            raise _odd(answer, "HTML instead of metrics")
        if not answer.text.strip():
            raise _odd(answer, "an empty page instead of metrics")
        return answer.text

    async def private(
        self,
        method: str,
        database: str,
        route: str,
        *,
        json: Any = None,
        timeout_s: float | None = None,
    ) -> Any:
        """The embedded engine's own API under `/private`; every other server answers 404.

        Returns its JSON, None for an empty answer.
        """
        path = f"/private/database/{quote(database, safe='')}/{route}"
        answer = await self._request(method, path, json=json, timeout_s=timeout_s)
        return _json(answer) if answer.content else None

    async def _database(
        self, method: str, database: str, route: str, **details: Any
    ) -> httpx.Response:
        return await self._request(
            method, f"/v1/database/{quote(database, safe='')}/{route}", **details
        )

    async def _request(
        self, method: str, path: str, *, timeout_s: float | None = None, **details: Any
    ) -> httpx.Response:
        url = self.base_url + path
        bound_s = timeout_s or self._timeout_s
        try:
            async with asyncio.timeout(bound_s):
                answer = await self._client.request(method, url, **details)
        except TimeoutError:
            raise HttpError(f"{method} {url}: no answer within {bound_s:g} s", url=url) from None
        except httpx.ConnectError as error:
            raise HttpError(unreachable(url, error), url=url) from None
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise HttpError(f"{method} {url}: {cause(error)}", url=url) from None
        if not answer.is_success:
            raise _refused(method, answer)
        return answer


def _refused(method: str, answer: httpx.Response) -> HttpError:
    url, status = _bare(answer.url), answer.status_code
    words = one_line(answer.text)
    if "html" in answer.headers.get("content-type", ""):
        words = "(an HTML page)"
    elif answer.is_redirect:
        words = f"a redirect to {answer.headers.get('location', 'nowhere')}, not followed"
    elif status == 401:
        words = f"the token was refused: {words}"
    return HttpError(f"{method} {url}: {status} {words}".rstrip(), url=url, status=status)


def _odd(answer: httpx.Response, what: str) -> HttpError:
    url = _bare(answer.url)
    return HttpError(
        f"{url}: answered {answer.status_code} with {what}", url=url, status=answer.status_code
    )


def _json(answer: httpx.Response) -> Any:
    try:
        return answer.json()
    except ValueError:
        raise _odd(answer, "something that is not JSON") from None


def _member(answer: httpx.Response, *path: str, kind: type = str) -> Any:
    value = _json(answer)
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    if not isinstance(value, kind):
        raise _odd(answer, f"JSON that lacks {'.'.join(path)}")
    return value


def _bare(url: httpx.URL) -> str:
    return str(url.copy_with(query=None))

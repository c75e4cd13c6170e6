"""A server to measure, however it came to run."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from urllib.parse import urlsplit

from analyzer.errors import UsageError


@dataclass(frozen=True, slots=True)
class Server:
    """`version` is the server's own word; `token`, if any, stays out of every log and record."""

    url: str
    kind: str
    version: str
    token: str | None = None
    pid: int | None = None

    def __repr__(self) -> str:
        return f"Server({self.kind} {self.version} at {self.url})"


def is_token(text: str) -> bool:
    """Whether `text` can stand in a header: one word of printable ASCII."""
    return text.isascii() and text.isprintable() and len(text.split()) == 1


def server_url(text: str, *, allow_remote: bool) -> str:
    """Check a URL and whether it may be measured.

    Raises UsageError for anything but http(s)://host[:port], and for a host that is not
    loopback unless `allow_remote`.
    """
    try:
        parts = urlsplit(text if "://" in text else f"http://{text}")
    except ValueError as error:
        raise UsageError(f"--server: {error}: write http://127.0.0.1:3000") from None
    if parts.username or parts.password:
        raise UsageError("--server: keep secrets out of the URL: use --token-file")
    try:
        port = parts.port
    except ValueError:
        raise UsageError(f"--server {text!r}: the port is not a number up to 65535") from None
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise UsageError(f"--server {text!r}: write http://127.0.0.1:3000")
    if parts.path.strip("/") or parts.query or parts.fragment:
        raise UsageError(f"--server {text!r}: only scheme, host and port, as http://127.0.0.1:3000")
    if not allow_remote and not _is_loopback(parts.hostname):
        raise UsageError(
            f"{parts.hostname} is not this machine: a sweep loads a server heavily; "
            "add --allow-remote if it is yours to load"
        )
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return f"{parts.scheme}://{host}" + (f":{port}" if port is not None else "")


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False

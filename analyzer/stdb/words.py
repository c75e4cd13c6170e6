"""Other people's error texts, made fit for one line of ours."""

from __future__ import annotations

import os
import ssl

_LONGEST = 300


def one_line(text: str) -> str:
    """Without line breaks, cut to 300 characters."""
    words = " ".join(text.split())
    return words if len(words) <= _LONGEST else words[: _LONGEST - 1] + "…"


def cause(error: BaseException) -> str:
    """Why a connection failed: the operating system's words from the bottom of the chain."""
    words = str(error)
    link: BaseException | None = error
    while link is not None:
        if isinstance(link, BaseExceptionGroup):
            link = link.exceptions[0]
        if isinstance(link, ssl.SSLError):
            # Its number is none of the operating system's.
            words = f"TLS fails: {(link.reason or words).lower().replace('_', ' ')}"
            break
        if isinstance(link, OSError) and link.errno is not None:
            # asyncio puts words of its own in the place of "Connection refused".
            words = os.strerror(link.errno) if link.errno > 0 else str(link.strerror)
        link = link.__cause__ or link.__context__
    return one_line(words) or type(error).__name__


def unreachable(url: str, error: BaseException) -> str:
    """One line on a connection that failed, with what to look at."""
    why = cause(error)
    hint = "does it speak https?" if why.startswith("TLS") else "is the server running?"
    return f"cannot reach {url}: {why}; {hint}"

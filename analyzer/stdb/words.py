"""Other people's error texts, made fit for one line of ours."""

from __future__ import annotations

import os

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
        if isinstance(link, OSError) and link.errno is not None:
            # asyncio puts words of its own in the place of "Connection refused".
            words = os.strerror(link.errno) if link.errno > 0 else str(link.strerror)
        link = link.__cause__ or link.__context__
    return one_line(words) or type(error).__name__

"""What the flags of several verbs take, with words of our own where one is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click


class Whole(click.IntRange):
    name = "whole number"


class Folder(click.ParamType):  # type: ignore[type-arg]
    """A folder that is there or can be made; an empty text is not the current one."""

    name = "folder"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        path = Path(value)
        if value == "":
            self.fail("it is empty: name a folder", param, ctx)
        if (path.exists() or path.is_symlink()) and not path.is_dir():
            self.fail(f"{str(path)!r} is not a folder", param, ctx)
        return path

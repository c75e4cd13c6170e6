"""The pages as data: their code blocks, and the commands that stand in them."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from pathlib import Path

from analyzer.build.cache import CHECKOUT

FENCE = re.compile(r"^```(?P<info>[^\n]*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
TITLE = re.compile(r'^toml title="(?P<name>[^"]+)"$')
INLINE = re.compile(r"`(stdb-sweep [a-z-]+ [^`]+)`")
TOOLS = ("stdb-sweep", "make", "pip", "jupyter", "jupytext", "mkdocs", ".", "$")

PAGES = [
    CHECKOUT / "README.md",
    CHECKOUT / "CONTRIBUTING.md",
    *sorted(CHECKOUT.glob("docs/**/*.md")),
]


@dataclass(frozen=True, slots=True)
class Block:
    language: str
    title: str
    text: str


def blocks(page: Path) -> list[Block]:
    found = []
    for match in FENCE.finditer(page.read_text(encoding="utf-8")):
        title = TITLE.match(match["info"])
        language = match["info"].split(" ")[0]
        found.append(Block(language, title["name"] if title else "", match["text"]))
    return found


def commands(page: Path) -> list[str]:
    """Every command of a page in order: `bash` whole, `console` after `$`, and inline ones."""
    found: list[str] = []
    for block in blocks(page):
        if block.language == "bash":
            found += block.text.replace("\\\n", " ").splitlines()
        if block.language == "console":
            found += [line[2:] for line in block.text.splitlines() if line.startswith("$ ")]
    found += INLINE.findall(FENCE.sub("", page.read_text(encoding="utf-8")))
    return [line for line in found if shlex.split(line, comments=True)]


def hidden_commands(page: Path) -> list[str]:
    """Lines that look like commands in a block of another kind, where nobody would run them."""
    return [
        line
        for block in blocks(page)
        if block.language not in ("bash", "console")
        for line in block.text.splitlines()
        if (words := line.split()) and words[0] in TOOLS and len(words) > 1 and ":" not in words[0]
    ]

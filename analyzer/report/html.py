"""A report as one HTML file with everything inside: no network, readable without JavaScript."""

from __future__ import annotations

import re
from collections.abc import Sequence

from jinja2 import Environment, PackageLoader
from markupsafe import Markup

from analyzer.report.layout import Block, Content, Section, Table
from analyzer.report.pictures import Drawn
from analyzer.report.windows import WindowTable

_NEEDLESS = re.compile(
    r"^.*?(?=<svg)|<metadata>.*?</metadata>|<defs>\s*<style.*?</defs>|<!--.*?-->", re.DOTALL
)
_FONT = re.compile(r"font-family: [^;\"]*;? ?|(?<=px) '[^;\"]*(?=[;\"])")
_NAME = re.compile(r' id="(?![mph][0-9a-f]{10}")[^"]*"')
"""Names that nothing in the picture refers to."""
_SPACE = re.compile(r">\s+<|\s+")
_SIZE = re.compile(r'<svg [^>]*?viewBox="([^"]*)"[^>]*>', re.DOTALL)
_COLOURS = {"#1f2933": "ink", "#cbd2d9": "rule", "#b3261e": "limit", "#ffffff": "paper"}
"""Of the plots, by the name that the page has for them."""


def render_html(
    content: Content,
    pictures: Sequence[Drawn] = (),
    *,
    answer: Section | None = None,
    windows: WindowTable | None = None,
) -> str:
    """Return `content` as one page: the answer, its pictures, then the evidence.

    `answer` stands before everything else; without it the first section of `content` is the
    answer.
    """
    sections = list(content.sections)
    facts = next((section for section in sections if section.title == "Run"), None)
    if facts:
        sections.remove(facts)
    if answer is None:
        answer = sections.pop(0)
    arms = {f"/ {picture.arm}": picture.arm for picture in pictures if picture.arm}
    page = Environment(
        loader=PackageLoader("analyzer", "report/page"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    page.tests["table"] = _is_table
    page.filters["inline"] = inline_svg
    return page.get_template("page.html").render(
        title=content.title,
        facts=facts,
        answer=answer,
        sections=sections,
        pictures=pictures,
        arm_of=lambda section: next(
            (arm for end, arm in arms.items() if section.title.endswith(end)), ""
        ),
        windows=windows,
    )


def inline_svg(picture: Drawn) -> Markup:
    """The picture as part of a page: its ink and paper are those of the page, its font too."""
    text = _NEEDLESS.sub("", picture.svg)
    text = _SPACE.sub(lambda found: "><" if found[0][0] == ">" else " ", _NAME.sub("", text))
    text = _FONT.sub(lambda found: "" if found[0][0] == "f" else " var(--font)", text)
    label = Markup.escape(picture.caption)
    text = _SIZE.sub(rf'<svg viewBox="\1" role="img" aria-label="{label}">', text, count=1)
    for colour, variable in _COLOURS.items():
        text = text.replace(colour, f"var(--{variable})")
    return Markup(text)


def _is_table(block: Block) -> bool:
    return isinstance(block, Table)

"""What `check` found, for people, for JUnit readers and for GitHub."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from analyzer.report.layout import Content, Lines, Section

if TYPE_CHECKING:
    from analyzer.assertions import Verdict


def build_verdicts(verdicts: Sequence[Verdict]) -> Content:
    """One line for each assertion, and under it every failing one of its cells."""
    told = []
    for verdict in verdicts:
        mark = "ok    " if verdict.holds else "BROKEN"
        held = verdict.checked - len(verdict.failures)
        told.append(f"{mark} {verdict.assertion}: holds in {held} of {verdict.checked}")
        told += [f"       {failure}" for failure in verdict.failures]
    return Content("stdb-sweep: check", (Section("Assertions", (Lines(tuple(told)),)),))


def junit(verdicts: Sequence[Verdict]) -> str:
    """Return a JUnit document: one test case for each assertion."""
    broken = sum(not verdict.holds for verdict in verdicts)
    suite = ElementTree.Element(
        "testsuite", name="stdb-sweep check", tests=str(len(verdicts)), failures=str(broken)
    )
    for verdict in verdicts:
        case = ElementTree.SubElement(
            suite, "testcase", classname="stdb-sweep", name=verdict.assertion
        )
        if not verdict.holds:
            failure = ElementTree.SubElement(case, "failure", message=verdict.failures[0])
            failure.text = "\n".join(verdict.failures)
    ElementTree.indent(suite)
    return ElementTree.tostring(suite, encoding="unicode", xml_declaration=True) + "\n"


def github_lines(verdicts: Sequence[Verdict]) -> list[str]:
    """GitHub workflow commands: an error for each assertion that does not hold."""
    return [
        f"::error title=stdb-sweep check::{_escaped(verdict.assertion)}%0A"
        f"{_escaped(chr(10).join(verdict.failures))}"
        for verdict in verdicts
        if not verdict.holds
    ]


def _escaped(text: str) -> str:
    """As GitHub wants the message of a workflow command."""
    for sign, code in (("%", "%25"), ("\r", "%0D"), ("\n", "%0A")):
        text = text.replace(sign, code)
    return text

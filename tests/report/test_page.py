"""The HTML report as a person sees it, in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.browser import CONTRASTS, chromium, opened
from tests.command import stdb_sweep
from tests.runs import REASON, small_plan, write_residue, write_run

DARKEST, LIGHTEST = 0.1, 0.9
READABLE = 4.5
"""WCAG 2, level AA."""


@dataclass(frozen=True, slots=True)
class Pages:
    lobby: Path
    residue: Path


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Pages:
    folder = tmp_path_factory.mktemp("pages")
    write_run(folder / "run", small_plan(), void=("per_sender", 50, 64))
    write_residue(folder / "left")
    for run, page, code in (("run", "lobby.html", 3), ("left", "residue.html", 0)):
        done = stdb_sweep("report", run, "--format", "html", "--output", page, cwd=folder)
        assert done.returncode == code, done.stderr
        assert done.stdout == ""
    return Pages(folder / "lobby.html", folder / "residue.html")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as running:
        yield running


def test_the_first_screen_says_how_many_clients_each_design_carries(
    browser: Browser, pages: Pages
) -> None:
    for width in (1280, 390):
        with opened(browser, pages.lobby, width=width) as page:
            answer = page.locator("section.answer")
            assert answer.locator("h2").inner_text() == "Clients within 50 ms of lock per write"
            table = answer.locator("table")
            heads = table.locator("th").all_inner_texts()
            assert heads == ["design", "8 rooms", "64 rooms", "256 rooms", "1,000 rooms"]
            designs = table.locator("tbody tr td:first-child").all_inner_texts()
            assert designs == ["per_sender", "anonymous"]
            box = table.bounding_box()
            assert box is not None
            assert box["y"] + box["height"] < 800
            assert "may not ship" in answer.inner_text()


def test_every_picture_is_drawn(browser: Browser, pages: Pages) -> None:
    with opened(browser, pages.lobby) as page:
        names = page.eval_on_selector_all("figure", "found => found.map(f => f.id)")
        assert names == [
            "arms", "measured-against-predicted",
            "per_sender-cost", "per_sender-ceilings", "per_sender-split", "per_sender-residuals",
            "anonymous-cost", "anonymous-ceilings", "anonymous-split", "anonymous-residuals",
        ]  # fmt: skip
        for figure in page.locator("figure").all():
            box = figure.locator("svg").bounding_box()
            assert box is not None
            assert min(box["width"], box["height"]) > 200
            drawn = figure.locator("svg path, svg use").evaluate_all(
                "all => all.map(e => e.getBoundingClientRect()).filter(b => b.width + b.height > 3)"
            )
            assert len(drawn) > 10
            assert figure.locator("svg text").count() > 8
            assert figure.locator("figcaption").inner_text()


def test_nothing_is_wider_than_the_window(browser: Browser, pages: Pages) -> None:
    for path in (pages.lobby, pages.residue):
        for width in (1280, 390):
            with opened(browser, path, width=width) as page:
                assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_is_readable_on_light_and_dark_ground(
    browser: Browser, pages: Pages, scheme: str
) -> None:
    for path in (pages.lobby, pages.residue):
        with opened(browser, path, color_scheme=scheme) as page:
            ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
            light = sum(map(int, ground.removeprefix("rgb(").removesuffix(")").split(",")))
            assert light < DARKEST * 765 if scheme == "dark" else light > LIGHTEST * 765
            found = page.evaluate(CONTRASTS)
            assert len(found) > 50
            assert [text for ratio, text in found if ratio < READABLE] == []


def test_a_click_on_a_head_sorts_by_number_and_another_one_back(
    browser: Browser, pages: Pages
) -> None:
    with opened(browser, pages.lobby) as page:
        table = page.locator("table").last
        column = table.locator("tbody tr td:nth-child(3)")
        head = table.get_by_role("button", name="rooms")
        assert column.all_inner_texts()[:5] == ["8", "64", "256", "1,000", "8"]
        head.click()
        assert column.all_inner_texts() == ["8"] * 8 + ["64"] * 8 + ["256"] * 8 + ["1,000"] * 8
        assert table.locator("th[aria-sort]").get_attribute("aria-sort") == "ascending"
        head.press("Enter")
        assert column.all_inner_texts() == ["1,000"] * 8 + ["256"] * 8 + ["64"] * 8 + ["8"] * 8
        table.get_by_role("button", name="design").click()
        assert table.locator("tbody td:first-child").first.inner_text() == "anonymous"


def test_a_cell_shows_its_windows_and_a_void_one_why(browser: Browser, pages: Pages) -> None:
    with opened(browser, pages.lobby, java_script_enabled=False) as page:
        cell = page.locator("tr.void")
        assert cell.count() == 1
        windows = cell.locator("pre")
        assert not windows.is_visible()
        cell.locator("summary").click()
        assert windows.is_visible()
        lines = windows.inner_text().splitlines()
        assert len(lines) == 6
        assert lines[0].startswith("repeat 1.1: 10 writes at ")
        assert lines[0].endswith(f"void: {REASON}")


def test_without_javascript_all_text_is_there(browser: Browser, pages: Pages) -> None:
    told = []
    for enabled in (True, False):
        with opened(browser, pages.lobby, java_script_enabled=enabled) as page:
            told.append(page.locator("main").inner_text())
    assert told[0] == told[1]
    assert "S*(4*G+1)+1; exact in all" in told[0]
    assert REASON in told[0]


def test_on_paper_it_is_black_on_white_and_within_the_page(browser: Browser, pages: Pages) -> None:
    with opened(browser, pages.lobby, width=720, color_scheme="dark") as page:
        page.emulate_media(media="print")
        style = "getComputedStyle(document.body)"
        assert page.evaluate(f"{style}.backgroundColor") == "rgb(255, 255, 255)"
        assert page.evaluate(f"{style}.color") == "rgb(0, 0, 0)"
        assert page.evaluate("document.documentElement.scrollWidth") <= 720
        assert [text for ratio, text in page.evaluate(CONTRASTS) if ratio < READABLE] == []
        assert page.pdf(format="A4").startswith(b"%PDF")


def test_an_experiment_has_the_same_page_and_the_residue_its_timeline(
    browser: Browser, pages: Pages
) -> None:
    with opened(browser, pages.residue) as page:
        assert "predicted lag: 17.50 min" in page.locator("section.answer").inner_text()
        box = page.locator("figure#timeline svg").bounding_box()
        assert box is not None
        assert min(box["width"], box["height"]) > 200
        page.get_by_role("button", name="ghosts").click()
        first = page.locator("tbody tr td:nth-child(3)").first
        assert first.inner_text() == "0"

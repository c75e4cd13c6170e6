"""Debian's chromium, driven as a person would use it."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, sync_playwright


def program() -> str:
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        pytest.fail(
            "chromium is not on PATH: `make test` installs Debian's package where it may (root and "
            "apt-get); elsewhere install Chromium (CONTRIBUTING.md)",
            pytrace=False,
        )
    return path


@contextlib.contextmanager
def chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program())
        try:
            yield browser
        finally:
            browser.close()


@contextlib.contextmanager
def opened(browser: Browser, path: Path, *, width: int = 1280, **options: Any) -> Iterator[Page]:
    """The page in a fresh window. Nothing may be fetched and nothing may be complained about."""
    faults: list[str] = []
    context = browser.new_context(viewport={"width": width, "height": 800}, **options)
    try:
        page = context.new_page()
        page.on("console", lambda message: faults.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: faults.append(f"error: {error}"))
        page.on("request", lambda request: faults.append(f"request: {request.url}"))
        page.goto(path.as_uri())
        yield page
        assert faults == [f"request: {path.as_uri()}"]
    finally:
        context.close()


CONTRASTS = """() => {
  const parse = (text) => (text.match(/[\\d.]+/g) || []).map(Number);
  const light = ([r, g, b]) => [r, g, b]
    .map((v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const ground = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = parse(getComputedStyle(at).backgroundColor);
      if (colour.length === 3 || colour[3] > 0) return colour;
    }
    return [255, 255, 255];
  };
  const found = [];
  for (const element of document.querySelectorAll("body *:not(script):not(svg)")) {
    const own = [...element.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
    if (!own || element.closest("figure[id$=ceilings] svg")) continue;
    const style = getComputedStyle(element);
    const colour = parse(element.closest("svg") ? style.fill : style.color);
    const [low, high] = [light(colour), light(ground(element))].sort((a, b) => a - b);
    found.push([(high + 0.05) / (low + 0.05), element.textContent.trim().slice(0, 40)]);
  }
  return found;
}"""
"""Contrast ratio of every text with what it stands on, as WCAG 2 defines it. The digits on the map
of ceilings stand on its own colours."""

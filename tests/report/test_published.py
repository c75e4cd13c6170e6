"""The article's tables refitted: what agrees, and where it parts."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from rich.console import Console

from analyzer.errors import RunError
from analyzer.published import (
    SOURCES,
    Refit,
    published_ceilings,
    published_dir,
    published_document,
    published_frame,
    refit,
    stated_fit,
)
from analyzer.report.published import published_content
from analyzer.report.terminal import render_terminal


@pytest.fixture(scope="module")
def refits() -> dict[str, Refit]:
    return {source.table: refit(source) for source in SOURCES}


def test_the_tournament_table_gives_the_articles_slopes_without_its_negative_term(
    refits: dict[str, Refit],
) -> None:
    found = refits["tournament_per_sender"]
    fit = stated_fit(found.source, found.model)
    assert fit is not None
    assert fit.form.name == "bilinear"
    fixed, client, client_row = fit.coefficients
    assert fixed == pytest.approx(0.12, rel=0.01)
    assert client == pytest.approx(0.23, rel=0.15)
    assert client_row == pytest.approx(0.00075, rel=0.05)
    assert "gives -1.2 ms at S=0 F=64" in refits["tournament_per_sender"].differences[0]


def test_the_tournament_table_curves_with_the_clients_and_its_error_falls_fourfold(
    refits: dict[str, Refit],
) -> None:
    found = refits["tournament_per_sender"]
    stated = stated_fit(found.source, found.model)
    assert found.fit.form.name == "usl"
    assert stated is not None
    assert found.fit.relative_rms < stated.relative_rms / 3
    plain = next(d for d in found.differences if d.startswith("with equal weights"))
    assert plain.endswith("-2.61 ms, 253 us per client, 0.74 us per client and entrant")


def test_the_anonymous_lobby_depends_on_rooms_alone(refits: dict[str, Refit]) -> None:
    found = refits["lobby_anonymous"]
    assert found.fit.form.name == "rows"
    assert found.fit.coefficients[0] == pytest.approx(1.2, rel=0.1)
    assert all(item.clients is None for item in found.ceilings)
    assert "furthest from its own table at S=10 G=256: 7.34 ms against 12 ms" in " ".join(
        found.differences
    )


def test_our_ceilings_stand_beside_the_articles_and_are_not_bent(refits: dict[str, Refit]) -> None:
    budget, article = published_ceilings()
    assert (budget, article) == (50.0, {8: 80, 64: 33, 256: 11, 1000: 3})
    ours = {item.rows: item.clients for item in refits["lobby_per_sender"].ceilings}
    assert ours == {8: 120, 64: 29, 256: 8, 1000: 2}


def test_eighty_clients_at_eight_rooms_does_not_follow_and_is_said_so(
    refits: dict[str, Refit],
) -> None:
    contradicted = [d for d in refits["lobby_per_sender"].differences if "does not follow" in d]
    assert contradicted == [
        "at 8 rooms the article allows 80 clients, yet its table shows 30.2 ms at 100, within "
        "50 ms: 80 does not follow"
    ]


def test_one_published_repeat_gives_no_interval(refits: dict[str, Refit]) -> None:
    for found in refits.values():
        assert all(item.high is None for item in found.ceilings)
        assert all("no interval: one repeat" in item.note for item in found.ceilings)


def test_the_anonymous_table_stands_for_both_client_counts() -> None:
    anonymous = next(source for source in SOURCES if source.table == "lobby_anonymous")
    assert sorted(published_frame(anonymous)["clients"].unique()) == [10, 100]


def test_the_document_is_strict_json() -> None:
    document = json.loads(json.dumps(published_document(), allow_nan=False))
    assert [item["table"] for item in document] == [source.table for source in SOURCES]


def test_the_report_fits_eighty_columns() -> None:
    console = Console(width=80, file=io.StringIO())
    with console.capture() as capture:
        render_terminal(published_content(), console)
    text = capture.get()
    assert "-1.2 ms + S x (0.23 ms + 0.75 us x F)" in text
    assert max(map(len, text.splitlines())) <= 80
    for form in ("bilinear", "quadratic", "power (rival)", "usl", "square"):
        assert form in text
    assert "0.120    -1.20                         ms" in text


def test_an_installed_wheel_finds_the_tables_inside_the_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("analyzer.published.PACKAGE", tmp_path / "site" / "analyzer")
    with pytest.raises(RunError, match="the published tables are not beside"):
        published_dir()
    inside = tmp_path / "site" / "analyzer" / "data" / "published"
    inside.mkdir(parents=True)
    (inside / "ceilings.csv").touch()
    assert published_dir() == inside

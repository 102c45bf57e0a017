"""A hostile shop's markup in every text of a report or a lab's result runs no script and sends no request, in a real browser."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from html import escape
from pathlib import Path

import pytest
from browser import CHROMIUM, Page, browser
from hostile import Ears, ears, hostile
from sample import sample

from batch.report.figures import figures
from batch.report.page import page
from batch.report.problems import Known
from infra.lab.labs import LABS
from infra.lab.page import page as lab_page
from infra.lab.result import Result
from infra.problems import Problem

pytestmark = [pytest.mark.slow, pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine")]

AT = datetime(2026, 2, 1, 4, tzinfo=UTC)
STRANGE = "[...document.querySelectorAll('img, iframe, link, base, form, object, embed, [onload], [onerror], [ontoggle]')].length"
POINT_AT_ALL = """(async () => {
    for (const mark of [...document.querySelectorAll("section .mark")].slice(0, 400)) {
        mark.dispatchEvent(new PointerEvent("pointerenter")); mark.dispatchEvent(new MouseEvent("click", {bubbles: true}));
        document.getElementById("panel").close();
    }
    for (const part of document.querySelectorAll("details")) part.open = true;
    await new Promise(done => setTimeout(done, 300));
    return document.querySelectorAll("section .mark").length;
})()"""


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    with browser(tmp_path_factory.mktemp("chromium")) as tab:
        yield tab


@pytest.fixture
def server() -> Iterator[Ears]:
    with ears() as own:
        yield own


def report(markup: str) -> str:
    gap = Problem("log.gap/orders-0", "8 records are gone", "daybreak gaps", 8, ("orders-0 12",), AT)
    of = replace(sample(unexplained=3), known=Known(AT, (gap,)))
    return page(figures(hostile(of, markup)), "http://127.0.0.1:21006")


def test_a_report_of_hostile_texts_runs_nothing_and_asks_nobody(chromium: Page, server: Ears, tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    file.write_text(report(server.markup))
    chromium.open(file, 1280, dark=False)
    assert chromium.ask(POINT_AT_ALL) > 100
    assert chromium.ask("document.title").startswith("Daybreak")
    assert chromium.ask(STRANGE) == 0
    assert chromium.requests == [file.as_uri()]
    # Nor was anything kept from running: it is text, and is seen as it came.
    assert chromium.errors == []
    assert server.markup in chromium.ask("document.querySelector('#conservation').textContent")
    assert server.heard == []


def test_a_labs_page_of_hostile_texts_runs_nothing(chromium: Page, server: Ears, tmp_path: Path) -> None:
    text = server.markup
    found = {lab: Result("unknown", AT, [{text: text, "lost": 1}], text, text, [text]) for lab in LABS}
    file = tmp_path / "lab.html"
    file.write_text(lab_page({lab: found[lab] for lab in LABS}))
    chromium.open(file, 1280, dark=False)
    assert chromium.ask("document.title") == "Daybreak: the lab"
    assert chromium.ask(STRANGE) == 0
    assert (chromium.requests, chromium.errors, server.heard) == ([file.as_uri()], [], [])
    assert text in chromium.ask("document.body.textContent")


def test_what_one_forgot_to_escape_runs_nothing_either(chromium: Page, server: Ears, tmp_path: Path) -> None:
    file, safe = tmp_path / "report.html", report(server.markup)
    raw = safe.replace(escape(server.markup), server.markup)
    assert raw.count(server.markup) > 10
    # As every page was before it had a policy: so the markup is worth its name.
    start, end = raw.index('<meta http-equiv="Content-Security-Policy"'), raw.index('<meta name="viewport"')
    file.write_text(raw[:start] + raw[end:])
    chromium.open(file, 1280, dark=False)
    chromium.ask("new Promise(done => setTimeout(done, 300))")
    assert chromium.ask("document.title") == "1"
    assert {"/image", "/ran", "/frame", "/style", "/import", "/fetched"} <= set(server.heard)
    server.heard.clear()
    file.write_text(raw)
    chromium.open(file, 1280, dark=False)
    chromium.ask("new Promise(done => setTimeout(done, 300))")
    assert chromium.ask("document.title").startswith("Daybreak")
    assert server.heard == []

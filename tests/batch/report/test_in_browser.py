"""The page in a real browser, on a desk and on a phone, by day and by night: its figures are those of the tables."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from browser import CHROMIUM, Page, browser
from demo_sample import demo_sample
from sample import CAUSES, DAY, MANY, VIEWS, WATERMARK, many_views, sample

from batch.report.figures import figures
from batch.report.page import page
from batch.report.sources import Sources
from batch.report.waterfall import waterfalls

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        CHROMIUM is None, reason="there is no Chromium on this machine; test_page.py has tested the file without one"
    ),
]

LOOKS = [(1280, False), (1280, True), (375, False), (375, True)]
READABLE = 4.5
"""The contrast of small text that WCAG 2.2 asks for (1.4.3, AA)."""
CONTRASTS = """(() => {
  const pen = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const light = colour => {
    pen.clearRect(0, 0, 1, 1); pen.fillStyle = colour; pen.fillRect(0, 0, 1, 1);
    const linear = d => d <= .04045 ? d / 12.92 : ((d + .055) / 1.055) ** 2.4;
    const [r, g, b] = [...pen.getImageData(0, 0, 1, 1).data].map(d => linear(d / 255));
    return .2126 * r + .7152 * g + .0722 * b;
  };
  const ratio = (a, b) => (Math.max(light(a), light(b)) + .05) / (Math.min(light(a), light(b)) + .05);
  const found = [];
  const words = "h1, h2, p, label, summary, td, th, figcaption, footer a, .tile strong, .tile span, li span";
  for (const text of document.querySelectorAll(words)) {
    let on = text;
    while (on && getComputedStyle(on).backgroundColor === "rgba(0, 0, 0, 0)") on = on.parentElement;
    if (!text.checkVisibility() || !text.textContent.trim()) continue;
    found.push([text.textContent, ratio(getComputedStyle(text).color, getComputedStyle(on).backgroundColor)]);
  }
  const surface = getComputedStyle(document.querySelector("section")).backgroundColor;
  for (const text of document.querySelectorAll("section svg text")) {
    const cell = text.previousElementSibling;
    const on = cell?.matches("#differences rect.mark") ? getComputedStyle(cell).fill : surface;
    found.push([text.textContent, ratio(getComputedStyle(text).fill, on)]);
  }
  return found;
})()"""


ASTRAY = """[...document.querySelectorAll("section figure")].flatMap(figure => {
    const box = figure.closest("section").getBoundingClientRect(), own = figure.querySelector("svg").getBoundingClientRect();
    return [...figure.querySelectorAll("svg text")].filter(text => {
        const at = text.getBoundingClientRect();
        return !at.width || at.top < own.top - 2 || at.bottom > own.bottom + 2 || at.left < box.left || at.right > box.right;
    }).map(text => `${figure.closest("section").id}: ${text.textContent}`);
})"""
"""Words of a chart that are not in its own picture."""
LISTED = """[...document.querySelectorAll("label select")]
    .filter(list => list.closest("label").textContent.startsWith("view")).map(list => list.value)"""
"""The view that each list of views shows."""
TALL = "document.documentElement.scrollHeight"
CROWDED = """[...document.querySelectorAll("section .axis")].flatMap(axis => {
    const seen = text => [text.textContent, text.getBoundingClientRect(), text.getAttribute("transform")];
    const all = [...axis.querySelectorAll("text")].map(seen);
    const upon = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom - 3 && b.top < a.bottom - 3;
    return all.slice(1).filter(([word, at, turned], i) => {
        const [before, last] = all[i];
        return word === before || (!turned && upon(at, last));
    }).map(([word]) => `${axis.closest("section").id}: ${word}`);
})"""
"""Labels of an axis that repeat the one before, or lie upon it."""


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    with browser(tmp_path_factory.mktemp("chromium")) as tab:
        yield tab


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    to = tmp_path_factory.mktemp("report") / "report.html"
    to.write_text(page(figures(sample()), "http://127.0.0.1:21006"))
    return to


@pytest.fixture(params=LOOKS, ids=lambda look: f"{look[0]} px, {'dark' if look[1] else 'light'}")
def opened(request: pytest.FixtureRequest, chromium: Page, file: Path) -> Page:
    width, dark = request.param
    chromium.open(file, width, dark)
    return chromium


def test_it_opens_without_an_error_and_without_the_network(opened: Page, file: Path) -> None:
    assert opened.errors == []
    assert opened.requests == [file.as_uri()]


def test_nothing_scrolls_sideways(opened: Page) -> None:
    assert opened.ask("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    outside = """[...document.querySelectorAll("section svg text, section svg .mark, h2, .tile")].filter(one => {
        const at = one.getBoundingClientRect(); return at.width && (at.left < 0 || at.right > innerWidth + 1);
    }).map(one => one.textContent || one.getAttribute("aria-label"))"""
    assert opened.ask(outside) == []


@pytest.mark.parametrize("width", [1280, 375])
@pytest.mark.parametrize("clock", ["event", "arrival"])
@pytest.mark.parametrize("of", [sample, demo_sample, many_views], ids=["a shop of two weeks", "the demo", "13 views"])
def test_every_label_stands_in_its_own_chart(
    chromium: Page, tmp_path: Path, of: Callable[[], Sources], clock: str, width: int
) -> None:
    file = tmp_path / "report.html"
    file.write_text(page(figures(of()), "http://127.0.0.1:21006"))
    chromium.open(file, width, dark=False)
    chromium.ask(f"document.querySelector('#freshness input[value={clock}]').click()")
    assert chromium.errors == []
    assert chromium.ask(ASTRAY) == []
    assert chromium.ask(CROWDED) == []


@pytest.mark.parametrize("width", [1280, 375])
def test_of_many_views_the_page_shows_one_at_a_time(chromium: Page, tmp_path: Path, width: int) -> None:
    file, of = tmp_path / "report.html", figures(many_views())
    file.write_text(page(figures(sample()), ""))
    chromium.open(file, width, dark=False)
    of_two = chromium.ask(TALL)
    file.write_text(page(of, ""))
    chromium.open(file, width, dark=False)
    assert chromium.ask(TALL) < 1.3 * of_two
    own = [cell for cell in of.heat if cell.day == DAY and cell.rows]
    most = max(own, key=lambda cell: cell.differing / (cell.rows or 1))
    assert shown(chromium) == {most.view}, "the one that differs most"
    assert {row["view"] for row in chromium.marks("differences")} == set(MANY)
    for view in list(MANY)[:3]:
        cell = f'#differences .mark[data-day="{DAY}"][data-view={view}]'
        chromium.ask(f"document.querySelector('{cell}').dispatchEvent(new Event('click'))")
        chromium.ask("document.getElementById('panel').close()")
        assert shown(chromium) == {view}
    chromium.ask(
        "const list = document.querySelector('#lateness select'); list.value = 'totals'; list.dispatchEvent(new Event('change'))"
    )
    assert shown(chromium) == {"totals"}
    assert chromium.ask("document.documentElement.scrollWidth <= document.documentElement.clientWidth")


def shown(tab: Page) -> set[str]:
    """The views of the charts below the overview, and of the lists that name the choice."""
    charts = {row["view"] for name in ("waterfall", "curve", "lateness") for row in tab.marks(name)}
    stages = {row["stage"].partition("/")[2] for row in tab.marks("freshness") if "/" in row["stage"]} - {"", "events"}
    listed = tab.ask(LISTED)
    return charts | stages | set(listed)


@pytest.mark.parametrize(
    ("speed", "late", "partner"), [(158_797_575, 3_764_697, 1_148_963), (31_775, 720, 213), (9, 1, 1)]
)
def test_long_numbers_stand_side_by_side_on_a_phone(
    chromium: Page, tmp_path: Path, speed: int, late: int, partner: int
) -> None:
    of = figures(demo_sample())
    row = dict.fromkeys(CAUSES, 0) | {"speed": speed, "late": late, "partner_late": partner, "unexplained": 0}
    (long,) = waterfalls([row | {"day": of.day, "view": "-", "measure": "-", "truth": speed + late + partner}])
    file = tmp_path / "report.html"
    file.write_text(page(replace(of, waterfalls=tuple(replace(one, steps=long.steps) for one in of.waterfalls)), ""))
    chromium.open(file, 390, dark=False)
    assert chromium.errors == []
    assert chromium.ask(CROWDED) == []
    assert chromium.ask("document.querySelectorAll('#waterfall .axis .tick').length") >= 2


def test_an_hour_alone_is_told_by_its_three_figures(chromium: Page, tmp_path: Path) -> None:
    file, of = tmp_path / "report.html", figures(demo_sample())
    file.write_text(page(of, "http://127.0.0.1:21006"))
    chromium.open(file, 1280, dark=False)
    view = chromium.ask("chosen.view")
    drawn = {(r["stage"], r["cut"]): float(r["seconds"]) for r in chromium.marks("freshness")}
    stages = ("bronze", "silver", f"speed/{view}", "gold")
    own = [one for one in of.fresh if one.clock == "arrival" and one.stage in stages]
    assert drawn == pytest.approx({(one.stage, cut): getattr(one, cut) for one in own for cut in ("p50", "p95", "p99")})
    said = chromium.ask("[...document.querySelectorAll('#freshness text.value')].map(text => text.textContent)")
    assert len(said) == len(drawn)


def test_every_text_can_be_read(opened: Page) -> None:
    found = opened.ask(CONTRASTS)
    assert len(found) > 150
    assert [(text, round(ratio, 2)) for text, ratio in found if ratio < READABLE] == []


def test_the_heat_map_is_the_summary(opened: Page) -> None:
    of = sample()
    found = {
        (row["day"], row["view"]): (int(row["differing"]), int(row["unexplained"]))
        for row in opened.marks("differences")
    }
    assert found == {
        (str(row["day"]), row["view"]): (row["rows_differing"], row["rows_unexplained"]) for row in of.summary
    }


def test_the_waterfall_is_the_summary_of_the_chosen_day_and_view(opened: Page) -> None:
    for view in ("payments", "totals"):
        opened.ask(f"choose('{DAY}', '{view}')")
        found: dict[str, dict[str, tuple[int, int]]] = {}
        for row in opened.marks("waterfall"):
            assert row["view"] == view
            found.setdefault(row["measure"], {})[row["step"]] = (int(row["start"]), int(row["end"]))
        rows = [row for row in sample().summary if (row["day"], row["view"]) == (DAY, view)]
        assert list(found) == [row["measure"] for row in rows]
        for row in rows:
            steps = found[row["measure"]]
            assert steps.pop("speed") == (row["speed"], row["speed"])
            assert steps.pop("truth") == (row["truth"], row["truth"])
            assert {step: end - start for step, (start, end) in steps.items()} == {c: row[c] for c in CAUSES if row[c]}


def test_the_curve_is_the_table_with_the_setting_and_the_night(opened: Page) -> None:
    rows = []
    for view in ("payments", "totals"):
        opened.ask(f"choose('{DAY}', '{view}')")
        rows += [row for row in opened.marks("curve") if row["line"] == "rows final"]
    drawn = {(r["view"], r["delay"]): (int(r["some"]), int(r["whole"])) for r in rows}
    table = [row for row in sample().curve if row["day"] == DAY]
    assert drawn == {
        (row["view"], "" if row["delay_seconds"] is None else str(row["delay_seconds"])): (
            row["rows_final"],
            row["rows"],
        )
        for row in table
    }
    assert {r["delay"] for r in rows if r["force"] == "true"} == {str(WATERMARK)}
    assert opened.ask("document.querySelectorAll('#curve line.rule').length") == 1


def test_the_histogram_is_the_waits_and_parts_at_the_watermark(opened: Page) -> None:
    for view in ("payments", "totals"):
        opened.ask(f"choose('{DAY}', '{view}')")
        found = opened.marks("lateness")
        rows = [row for row in sample().lateness if row["view"] == view]
        for basis, name in (("stream", "read"), ("log", "order")):
            for late in (False, True):
                drawn = sum(int(b[name]) for b in found if b["view"] == view and b["late"] == str(late).lower())
                assert drawn == sum(
                    r["events"]
                    for r in rows
                    if r["basis"] == basis and (r["required_delay_seconds"] > WATERMARK) == late
                )


def test_freshness_is_drawn_by_both_clocks(opened: Page) -> None:
    of = figures(sample())
    for clock in ("event", "arrival"):
        opened.ask(f"document.querySelector('#freshness input[value={clock}]').click()")
        found = {}
        for view in VIEWS:
            opened.ask(f"choose('{DAY}', '{view}')")
            found |= {(r["stage"], r["hour"], r["cut"]): float(r["seconds"]) for r in opened.marks("freshness")}
        expected = {
            (one.stage, one.hour.isoformat(), cut): getattr(one, cut)
            for one in of.fresh for cut in ("p50", "p95", "p99") if one.clock == clock
        }  # fmt: skip
        assert found == pytest.approx(expected)


def test_lag_conservation_and_hand_over_are_the_figures(opened: Page) -> None:
    of = figures(sample())
    assert [int(row["events"]) for row in opened.marks("lag")] == [one.events for one in of.lagging]
    parts, gaps = split(opened.marks("conservation"))
    assert {(r["topic"], int(r["partition"]), r["part"]): int(r["count"]) for r in parts} == {
        (one.topic, one.partition, part): count for one in of.kept for part, count in one.parts.items() if count
    }
    assert [(r["by"], int(r["start"]), int(r["end"])) for r in gaps] == [(g.by, g.start, g.end) for g in sample().gaps]
    drawn = [(r["layer"], r["status"], r["start"], r["end"]) for r in opened.marks("served")]
    assert drawn == [(one.layer, one.status, one.start.isoformat(), one.end.isoformat()) for one in of.served]


def split(marks: list[dict[str, Any]]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Parts of partitions, and gaps."""
    return [mark for mark in marks if "part" in mark], [mark for mark in marks if "by" in mark]


def test_the_keyboard_reaches_a_mark_and_the_rows_behind_it(chromium: Page, file: Path) -> None:
    chromium.open(file, 1280, dark=False)
    for _ in range(30):
        chromium.press("Tab")
        if chromium.ask("document.activeElement.matches('#differences .mark')"):
            break
    first = chromium.ask("document.activeElement.getAttribute('aria-label')")
    chromium.press("ArrowRight")
    label = chromium.ask("document.activeElement.getAttribute('aria-label')")
    assert first != label
    chromium.press("Enter")
    assert chromium.ask("document.getElementById('panel').open")
    assert chromium.ask("document.getElementById('panel-say').textContent") == label
    assert "FROM reconciliation.differences" in chromium.ask("document.querySelector('#panel code').textContent")
    assert "/reconciliation/night/2026-01-" in chromium.ask("document.querySelector('#panel .night').href")
    assert chromium.ask("document.querySelector('#panel .report').hidden"), "a file alone has no neighbours"
    chromium.press("Escape")
    assert not chromium.ask("document.getElementById('panel').open")
    # One stop per chart: the next one is not a cell's neighbour.
    chromium.press("Tab")
    assert not chromium.ask("document.activeElement.matches('#differences .mark')")


def test_dark_is_dark_and_light_is_light(chromium: Page, file: Path) -> None:
    seen = []
    for dark in (False, True):
        chromium.open(file, 1280, dark)
        seen.append(chromium.ask("getComputedStyle(document.querySelector('section')).backgroundColor"))
    assert seen == ["rgb(255, 255, 255)", "rgb(26, 31, 41)"]


def test_a_fault_is_seen_at_once(chromium: Page, tmp_path: Path) -> None:
    bad = tmp_path / "bad.html"
    bad.write_text(page(figures(sample(unexplained=3)), "http://127.0.0.1:21006"))
    chromium.open(bad, 375, dark=False)
    assert "3 differences have no cause" in chromium.ask("document.querySelector('.verdict.bad').textContent")
    assert chromium.ask("document.querySelector('.tile.bad[data-figure=unexplained] strong').textContent") == "3"
    assert {row["step"] for row in chromium.marks("waterfall")} >= {"unexplained"}

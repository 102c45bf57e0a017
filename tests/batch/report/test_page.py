"""The page as a file: whole, alone, small enough to be mailed, and readable without script."""

import json
import re
import shlex
from collections.abc import Iterator
from dataclasses import asdict, replace
from datetime import UTC, datetime
from hashlib import sha256
from html import unescape
from typing import Any

import pytest
from pyspark.sql import SparkSession
from sample import DAY, sample

from batch.report.drilldown import explained, quoted
from batch.report.figures import figures
from batch.report.page import SECTIONS, library, page
from batch.report.problems import Known
from batch.report.sources import Sources
from infra.problems import Problem

AIRFLOW = "http://127.0.0.1:21006"
MAILABLE = 2_000_000
D3 = "f2094bbf6141b359722c4fe454eb6c4b0f0e42cc10cc7af921fc158fceb86539"
"""SHA-256 of dist/d3.min.js in the npm package d3 7.9.0."""


def made(of: Sources) -> str:
    return page(figures(of), AIRFLOW)


@pytest.fixture(scope="module")
def html() -> str:
    return made(sample())


def test_every_chart_has_a_question_an_answer_figures_and_a_query(html: str) -> None:
    found = re.findall(r'<section id="(\w+)".*?</section>', html, re.DOTALL)
    assert found == ["differences", "waterfall", "curve", "lateness", "freshness", "lag", "conservation", "served"]
    for section in re.findall(r"<section .*?</section>", html, re.DOTALL):
        assert re.search(r"<h2[^>]*>[A-Z][^<]+\?</h2>", section)
        assert re.search(r'<p class="answer">[^<]+\.</p>', section)
        assert section.count("<tr>") > 1
        assert re.search(r"<code>SELECT .+;</code>", section, re.DOTALL)


def test_nothing_is_loaded_from_anywhere(html: str) -> None:
    addresses = re.findall(r"""(?:src|href|action|poster|data)\s*=\s*["']([^"']*)["']""", html.replace(library(), ""))
    assert {address for address in addresses if not address.startswith("#")} == {
        f"{AIRFLOW}/reconciliation/night/{DAY}"
    }
    assert not re.search(
        r"@import|url\((?!#)|<link|<iframe|<img|fetch\(|XMLHttpRequest|importScripts", html.replace(library(), "")
    )


def test_the_library_is_the_one_that_was_pinned() -> None:
    assert library().startswith("// https://d3js.org v7.9.0 ")
    assert sha256(library().encode()).hexdigest() == D3


def test_it_can_be_mailed(html: str) -> None:
    assert len(html.encode()) < MAILABLE


def test_the_data_in_it_are_the_figures(html: str) -> None:
    (inside,) = re.findall(r'<script type="application/json" id="figures">(.*?)</script>', html, re.DOTALL)
    found = json.loads(inside)
    expected = json.loads(json.dumps(asdict(figures(sample())), default=lambda value: value.isoformat()))
    assert found == {"airflow": AIRFLOW, **expected}


@pytest.mark.slow
def test_every_query_is_sparks_sql(spark: SparkSession, html: str) -> None:
    data = asdict(figures(sample(unexplained=1)))
    queries = set(queries_in(data)) | {
        unescape(sql) for sql in re.findall(r"<code>(SELECT .+?)</code>", html, re.DOTALL)
    }
    assert len(queries) > 100
    parser = spark._jsparkSession.sessionState().sqlParser()  # type: ignore[attr-defined]
    for sql in queries:
        parser.parsePlan(sql)


@pytest.mark.slow
def test_a_row_that_differs_has_the_command_that_explains_it(spark: SparkSession) -> None:
    key = '{"session_id":"it\'s a \\"key\\""}'
    assert json.loads(key)["session_id"] == 'it\'s a "key"'
    asked = f"SELECT {explained('totals', DAY)} FROM VALUES ({quoted(key)}) AS rows(key)"
    (found,) = spark.sql(asked).collect()
    assert shlex.split(found["command"]) == ["daybreak", "explain", "totals", key, "--day", str(DAY)]
    behind = {(cell.day, cell.view): cell.behind.sql for cell in figures(sample()).heat}
    assert explained("totals", DAY) in behind[DAY, "totals"]


def queries_in(part: Any) -> Iterator[str]:
    """Every `sql` in it, however deep."""
    if isinstance(part, dict):
        yield from [part["sql"]] if "sql" in part else []
        for value in part.values():
            yield from queries_in(value)
    elif isinstance(part, list | tuple):
        for value in part:
            yield from queries_in(value)


def test_what_people_wrote_cannot_become_part_of_the_page() -> None:
    of = sample()
    note = "</script><script>alert(1)</script>"
    html = made(replace(of, gaps=(replace(of.gaps[0], note=note),)))
    assert note not in html
    assert "&lt;/script&gt;&lt;script&gt;alert(1)" in html


def test_a_day_without_a_curve_or_an_event_still_has_its_page() -> None:
    of = sample()
    bare = replace(
        of, curve=(), lateness=(), settlements=(), corrections=(), conservation=(), gaps=(),
        events=of.events.slice(0, 0), progress=of.progress.slice(0, 0), builds=of.builds.slice(0, 0),
    )  # fmt: skip
    html = made(bare)
    for said in ("no curve yet", "no waits yet", "No on-time event", "No night has counted yet", "Nothing is settled"):
        assert said in html
    assert html.count("<section ") == len(SECTIONS)


def test_the_page_begins_with_what_is_wrong() -> None:
    at = datetime(2026, 2, 1, 4, tzinfo=UTC)
    gap = Problem("log.gap/orders-0", "8 records <of> orders are gone", "daybreak gaps", 8, ("orders-0 12",), at)
    html = made(replace(sample(), known=Known(at, (gap,))))
    top = html.partition("<main>")[0]
    assert "1 problem was known at 2026-02-01 04:00 UTC" in top
    for word in (
        "log.gap/orders-0",
        "8 in all",
        "8 records &lt;of&gt; orders are gone",
        "orders-0 12",
        "daybreak gaps",
    ):
        assert word in top
    assert "No problems were known at" in made(replace(sample(), known=Known(at, ())))
    assert 'class="problems"' not in made(sample())

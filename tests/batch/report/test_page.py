"""The page as a file: whole, alone, small enough to be mailed, and readable without script."""

import json
import re
from collections.abc import Iterator
from dataclasses import asdict, replace
from html import unescape
from typing import Any

import pytest
from pyspark.sql import SparkSession
from sample import DAY, sample

from batch.report.figures import figures
from batch.report.library import d3
from batch.report.page import SECTIONS, page
from batch.report.sources import Sources

AIRFLOW = "http://127.0.0.1:21006"
MAILABLE = 2_000_000


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
    addresses = re.findall(r"""(?:src|href|action|poster|data)\s*=\s*["']([^"']*)["']""", html.replace(d3(), ""))
    assert {address for address in addresses if not address.startswith("#")} == {
        f"{AIRFLOW}/reconciliation/night/{DAY}"
    }
    assert not re.search(
        r"@import|url\((?!#)|<link|<iframe|<img|fetch\(|XMLHttpRequest|importScripts", html.replace(d3(), "")
    )


def test_it_can_be_mailed(html: str) -> None:
    assert len(html.encode()) < MAILABLE


def test_the_data_in_it_are_the_figures(html: str) -> None:
    (inside,) = re.findall(r'<script type="application/json" id="figures">(.*?)</script>', html, re.DOTALL)
    found = json.loads(inside)
    expected = json.loads(json.dumps(asdict(figures(sample())), default=lambda value: value.isoformat()))
    assert found == {"airflow": AIRFLOW, **expected}


def test_every_query_is_sparks_sql(spark: SparkSession, html: str) -> None:
    data = asdict(figures(sample(unexplained=1)))
    queries = set(queries_in(data)) | {
        unescape(sql) for sql in re.findall(r"<code>(SELECT .+?)</code>", html, re.DOTALL)
    }
    assert len(queries) > 100
    parser = spark._jsparkSession.sessionState().sqlParser()  # type: ignore[attr-defined]
    for sql in queries:
        parser.parsePlan(sql)


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

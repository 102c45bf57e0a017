"""The page: one HTML file that needs nothing else, neither a server nor the internet.

Data flow: Figures -> sections, JSON, D3, style and script in one file
Run: daybreak report --date 2026-01-31 --out report.html
"""

import json
from dataclasses import asdict
from datetime import date, datetime
from html import escape
from pathlib import Path
from string import Template
from typing import Any

from batch.report.comparison import curve, differences, lateness, waterfall
from batch.report.figures import Figures
from batch.report.operations import conservation, freshness, lag, served
from batch.report.problems import listed
from batch.report.section import Section
from batch.report.verdict import Tile, tiles, verdict
from infra.page import look
from infra.page.policy import policy

FOLDER = Path(__file__).with_name("page")
SCRIPTS = ("marks.js", "scales.js", "differences.js", "waiting.js", "flow.js", "whole.js")
"""In this order, after D3."""
LIBRARY = "d3.min.js"
"""D3 7.9.0, unchanged from its npm package (ISC, see d3.LICENSE). It draws the charts, and every report includes it."""
SECTIONS = (differences, waterfall, curve, lateness, freshness, lag, conservation, served)


def page(found: Figures, airflow_url: str) -> str:
    """The file's text. Its links lead to `airflow_url` only, and it loads nothing from the network."""
    data = json.dumps({"airflow": airflow_url, **asdict(found)}, default=_plain, separators=(",", ":"))
    good, said = verdict(found)
    style = look.style() + (FOLDER / "page.css").read_text()
    script = "\n".join(['"use strict";', *((FOLDER / name).read_text() for name in SCRIPTS)])
    return Template((FOLDER / "page.html").read_text()).substitute(
        day=found.day.isoformat(),
        state="good" if good else "bad",
        verdict=escape(said),
        problems=listed(found.known),
        tiles="\n".join(_tile(one) for one in tiles(found)),
        sections="\n".join(_section(section(found)) for section in SECTIONS),
        night=escape(f"{airflow_url}/reconciliation/night/{found.day}"),
        policy=policy((library(), script), style),
        style=style,
        # A closing tag within the data would end the script element.
        figures=data.replace("<", "\\u003c"),
        library=library(),
        script=script,
    )


def library() -> str:
    """D3's text."""
    return (FOLDER / LIBRARY).read_text()


def _plain(value: Any) -> str:
    if isinstance(value, date | datetime):
        return value.isoformat()
    raise TypeError(f"{type(value).__name__} cannot be written to the page's JSON")


def _tile(one: Tile) -> str:
    state = " bad" if one.is_bad else ""
    return (
        f'<a class="tile{state}" href="#{one.section}" data-figure="{one.name}">'
        f"<strong>{escape(one.value)}</strong><span>{escape(one.says)}</span></a>"
    )


def _section(one: Section) -> str:
    rows = look.table(one.columns, one.rows) if one.rows else "<p>None.</p>"
    return f"""<section id="{one.id}" aria-labelledby="{one.id}-question">
<h2 id="{one.id}-question">{escape(one.question)}</h2>
<p class="answer">{escape(one.answer)}</p>
<div class="controls"></div>
<div class="charts"></div>
<p class="note">{escape(one.note)}</p>
<div class="behind">
<details class="figures"><summary>The figures</summary><div class="rows">{rows}</div></details>
<details><summary>The query</summary><pre tabindex="0"><code>{escape(one.sql)}</code></pre>
<button type="button" class="copy">Copy</button></details>
</div>
</section>"""

"""The labs' page: the newest result of each lab, in one HTML file that loads nothing.

Data flow: `<home>/lab/<lab>.json` -> `<home>/lab/index.html`, which Airflow's menu shows
Run: daybreak lab delivery
"""

from collections.abc import Callable
from html import escape
from pathlib import Path
from string import Template

from infra.lab.acks import chart as acks
from infra.lab.direct import chart as direct
from infra.lab.fit.section import section
from infra.lab.fit.table import fit
from infra.lab.labs import ACKS, DIRECT, OVERLOAD, QUEUE, Lab, labs_of
from infra.lab.overload import chart as overload
from infra.lab.queue import chart as queue
from infra.lab.result import Result, newest
from infra.page import look
from infra.page.policy import policy
from infra.page.write import put

CHARTS: dict[str, Callable[[Result], str]] = {
    DIRECT.name: direct.chart,
    ACKS.name: acks.chart,
    OVERLOAD.name: overload.chart,
    QUEUE.name: queue.chart,
}
"""What draws a lab's result, by the lab's name. Its table is then folded up behind the chart."""
TEMPLATE = Path(__file__).with_name("page.html")


def publish(home: Path, project: str) -> Path:
    """Write the page anew, of the project's labs, from the results that are kept in `home`; returns its path."""
    return put(home / "lab" / "index.html", page({lab: newest(home, lab) for lab in labs_of(project)}).encode())


def page(results: dict[Lab, Result | None]) -> str:
    """The page's text: what fits, then each lab; one without a result has the command that gives it one."""
    sections = "\n".join([section(fit(results)), *(_section(lab, result) for lab, result in results.items())])
    style = look.style() + TEMPLATE.with_suffix(".css").read_text()
    rules = policy((), style, attributes=True)
    return Template(TEMPLATE.read_text()).substitute(policy=rules, style=style, sections=sections)


def _section(lab: Lab, result: Result | None) -> str:
    return f"""<section id="{lab.name}" aria-labelledby="{lab.name}-question">
<h2 id="{lab.name}-question">{escape(lab.question)}</h2>
{_measured(result) if result else '<p class="answer">This lab has not been run yet.</p>'}
<p class="note">{escape(lab.about)}</p>
<p class="note">Run it with <code>{lab.command}</code>.</p>
</section>"""


def _measured(result: Result) -> str:
    rows = [list(row.values()) for row in result.rows]
    broken = "".join(f'<p class="bad">{escape(one)}</p>\n' for one in result.broken)
    table = f'<div class="rows" tabindex="0">{look.table(result.rows[0], rows, stacks=True)}</div>'
    if draw := CHARTS.get(result.lab):
        table = f"{draw(result)}<details><summary>All figures</summary>{table}</details>"
    return f"""<p class="answer">{escape(result.shows)}</p>
{broken}{table}
<p class="note">{escape(result.how)} It ended on <time>{result.at:%Y-%m-%d at %H:%M} UTC</time>.</p>"""

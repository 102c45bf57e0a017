"""The look of Daybreak's HTML pages, and a table in it.

Data flow: look.css; column names and rows -> HTML
Run: daybreak report --date 2026-01-31 --out report.html
"""

from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path

CSS = Path(__file__).with_name("look.css")


def style() -> str:
    """The rules that all pages share: colours in light and dark, headings, sections, tables."""
    return CSS.read_text()


def table(columns: Iterable[str], rows: Iterable[Sequence[object]]) -> str:
    """An HTML table. An integer is aligned right, with a comma at its thousands; None is an empty cell."""
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in columns)
    body = "".join("<tr>" + "".join(_cell(value) for value in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _cell(value: object) -> str:
    if isinstance(value, int):
        return f'<td class="number">{value:,}</td>'
    return f"<td>{escape('' if value is None else str(value))}</td>"

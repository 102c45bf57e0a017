"""The look of Daybreak's HTML pages, and a table in it.

Data flow: look.css; column names and rows -> HTML
Run: daybreak report --date 2026-01-31 --out report.html
"""

import re
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path

CSS = Path(__file__).with_name("look.css")
FIGURE = re.compile(r"[0-9,]+\.[0-9]+( ms| s)?")
"""A figure that was written as text, with its decimals and perhaps its unit."""


def style() -> str:
    """The rules that all pages share: colours in light and dark, headings, sections, tables."""
    return CSS.read_text()


def table(columns: Iterable[str], rows: Iterable[Sequence[object]], stacks: bool = False) -> str:
    """An HTML table. Figures are aligned right, integers with a comma at their thousands; None is an empty cell.

    If it `stacks`, a narrow screen shows each row as a list of names and values, and leaves out empty ones.
    """
    names = [escape(name) for name in columns]
    head = "".join(f'<th scope="col">{name}</th>' for name in names)
    labels = [f' data-column="{name}"' if stacks else "" for name in names]
    body = "".join(f"<tr>{''.join(map(_cell, row, labels))}</tr>" for row in rows)
    kind = ' class="stacks"' if stacks else ""
    return f"<table{kind}><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _cell(value: object, label: str) -> str:
    if isinstance(value, int):
        return f'<td class="number"{label}>{value:,}</td>'
    if isinstance(value, str) and FIGURE.fullmatch(value):
        return f'<td class="number"{label}>{value}</td>'
    return f"<td{label}>{escape('' if value is None else str(value))}</td>"

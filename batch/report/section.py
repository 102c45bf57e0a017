"""A section of the page: the question above a chart, its answer in a sentence, its figures as a table, its query.

Data flow: what compared.py and running.py say of the Figures -> Section
Run: pytest tests/batch/report/test_page.py
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Section:
    """`rows` are in the order of `columns`: what the chart shows, for eyes without script."""

    id: str
    question: str
    answer: str
    note: str
    columns: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...]
    sql: str

"""A section of the page: the question above a chart, its answer in a sentence, its figures as a table, its query.

Data flow: Figures -> comparison.py and operations.py -> Section
Run: pytest tests/batch/report/test_page.py
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Section:
    """`rows` hold the chart's figures in the order of `columns`; the page shows them as a table, also without JavaScript."""

    id: str
    question: str
    answer: str
    note: str
    columns: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...]
    sql: str

"""Fewer views where a test is about none of them: what a night or a start of the stream takes grows with their number.

Data flow: the registry of this process for the length of a test, or that of a copy of the tree -> only FEWER
Run: pytest tests/batch/test_killed.py
"""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from streaming.views import VIEWS

FEWER = ("order_totals", "order_payments", "rolling_order_rate")
"""One of each law: sums, independent parts, windows with a lookback."""
SERVED = FEWER[:2]
"""Sums, and a join. With an Airflow's nights and builds of gold each view costs minutes."""


def few_views(*more: str) -> AbstractContextManager[None]:
    """FEWER and `more` in this process; afterwards all are back in their order."""
    return only_views(*FEWER, *more)


@contextmanager
def only_views(*names: str) -> Iterator[None]:
    """These in this process; afterwards all are back in their order."""
    every = dict(VIEWS)
    for name in every.keys() - {*names}:
        del VIEWS[name]
    try:
        yield
    finally:
        VIEWS.clear()
        VIEWS.update(every)


def leave_few(folder: Path, few: Sequence[str] = FEWER) -> Path:
    """In a copy of the tree, by its registry: a line less per view, and without the reports of the views that are gone."""
    marts, own = (folder / "dbt" / one / "shop" for one in ("models/marts", "macros"))
    for name in VIEWS.keys() - set(few):
        leave_out(folder / "streaming" / "shop" / "views" / "__init__.py", f"    {name.upper()},\n")
        if (report := marts / f"rpt_{name}.sql").exists():
            leave_out(own / "own.sql", f"    'rpt_{name}',\n")
            report.unlink()
            report.with_suffix(".yml").unlink()
    return folder


def leave_out(file: Path, line: str) -> None:
    text = file.read_text()
    assert text.count(line) == 1, line
    file.write_text(text.replace(line, ""))

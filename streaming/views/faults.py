"""What a view names has to be there, and what it promises has to hold together: otherwise Spark would say it, after the start.

Data flow: View -> nothing, or ValueError with a sentence
Run: pytest tests/streaming/test_views.py
"""

from collections.abc import Iterator
from datetime import timedelta
from typing import TYPE_CHECKING

from pyspark.sql.types import IntegralType, TimestampType

from streaming.views.law import APART, Additive, ByPart

if TYPE_CHECKING:
    from streaming.views.view import View

OF_LAYERS = ("day", "is_final", "is_removed", "as_of", "batch_id", "generation", "definition", "run", APART)
OF_GOLD = ("status", "revision", "revisions", "cause", "valid_from", "valid_to", "expected_completeness", "closes_at")
"""Names of columns that the layers and gold add; a view must not use them."""
IN_QUERIES = (
    "answer",
    "corrected_at",
    "fault",
    "first",
    "has_closed",
    "horizon",
    "key",
    "layer",
    "old",
    "side",
    "spans",
    "truth",
    "view",
    "was_final",
)
"""Names that gold's queries give to columns beside a view's own; a view must not use them either."""


def check_view(view: "View") -> None:
    """Raise ValueError for the first fault."""
    if first := next(_faults(view), None):
        raise ValueError(f"view {view.name}: {first}")


def _faults(view: "View") -> Iterator[str]:
    if not (view.name.isascii() and view.name.isidentifier()):
        yield "a name has letters, digits and _, and begins with no digit"
    if not view.inputs or not view.key:
        yield "it has at least one input, and one column as its key"
    yield from _of_columns(view)
    yield from _of_changelogs(view)
    yield from _of_times(view)


def _of_columns(view: "View") -> Iterator[str]:
    names = [one.name for one in view.columns]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        yield f"two columns have the name {twice[0]}"
    if taken := sorted({*OF_LAYERS, *OF_GOLD, *IN_QUERIES}.intersection(names)):
        yield f"the column names {', '.join(taken)} are reserved: choose other names"
    summed = {*view.measures, *(view.law.sums if isinstance(view.law, Additive) else ())}
    spoken = {*view.key, view.time, *summed, *view.prefer, *view.while_open}
    if isinstance(view.law, Additive):
        spoken |= {*view.law.shares, *sum(view.law.shares.values(), ())}
    if isinstance(view.law, ByPart):
        spoken |= {view.law.column}
    if missing := sorted(spoken.difference(names)):
        yield f"{', '.join(missing)} is not among its columns"
    kinds = {one.name: one.dataType for one in view.columns}
    if not isinstance(kinds[view.time], TimestampType):
        yield f"{view.time} is its rows' time and is no timestamp"
    if broken := sorted(name for name in summed if not isinstance(kinds[name], IntegralType)):
        yield (
            f"{', '.join(broken)} is summed and is no whole number: a sum of others depends on the order, in which the layers "
            "differ; use thousandths, cents, ..."
        )


def _of_changelogs(view: "View") -> Iterator[str]:
    if view.changelogs and (isinstance(view.law, Additive) or not {*view.changelogs} <= {*view.inputs[1:]}):
        yield "changelogs are among its inputs behind the first, and it is not Additive"
    if None in view.changelogs.values() and isinstance(view.law, ByPart):
        yield "a view that looks at all keys of a changelog is ByWindow"


def _of_times(view: "View") -> Iterator[str]:
    if view.pause and not (isinstance(view.law, ByPart) and view.stays_open):
        yield "a pause is told of a view by part whose rows stay open for days"
    if min(view.reach, view.pause, view.overlap) < timedelta(0):
        yield "reach, pause and overlap are not below 0"
    if not timedelta(0) <= view.lookback < timedelta(days=1):
        yield f"a lookback of {view.lookback} is not between 0 and a day"

"""What a run of the plan gave, taken apart: rows of each view, those that were open, what the store told; and what is said of it.

Data flow: the plan's one table -> Found -> per view the rows to write, and what the store learns
Run: pytest tests/streaming/test_view_state.py
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from streaming.state.layout import Layout
from streaming.state.one_frame import Places, apart
from streaming.state.said import Said, said
from streaming.views.view import View

TOLD, BEFORE = "told", "before "
"""What a row of the plan is: what the store tells, a view's open row as it was, or (the view's number alone) a row of it."""
KEPT_KIND = -1
"""The `kind` of what is told of the store itself: events and bytes that it keeps, as `views` and `wake`."""


@dataclass(frozen=True)
class Found:
    """What a run of the plan gave: per view the rows that were defined and those that were open; what the store told."""

    defined: Mapping[str, pa.Table]
    before: Mapping[str, pa.Table]
    told: pa.Table


def separated(found: pa.Table, views: Sequence[View], layout: Layout, of: Places) -> Found:
    """The plan's table, with columns as `of` says, by view; `views`: all of them in the plan's order."""
    numbers = {view.name: str(number) for number, view in enumerate(views)}
    defined = {name: apart(found, own, of) for name, own in numbers.items()}
    before = {view.name: apart(found, BEFORE + numbers[view.name], of) for view in layout.views}
    return Found(defined, before, apart(found, TOLD, of))


def said_of(
    layout: Layout, found: Found, watermark: pa.Scalar | None, next_watermark: pa.Scalar | None
) -> dict[str, Said]:
    """What each view by parts says."""
    answers = {}
    for number, view in enumerate(layout.views):
        mine = pc.and_(
            pc.equal(found.told["kind"], layout.kind_of(view)),
            pc.not_equal(pc.bit_wise_and(found.told["views"], 1 << number), 0),
        )
        touched = found.told.filter(mine)["part"].combine_chunks()
        own = found.defined[view.name], found.before[view.name], touched
        answers[view.name] = said(layout, view, *own, watermark, next_watermark)
    return answers

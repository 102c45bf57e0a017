"""What the stores learn with a micro-batch of the one before it: its rows, and when their parts are to be looked at.

Data flow: what was said of each view, or rows read back -> Pending
Run: pytest tests/streaming/test_view_state.py

A micro-batch's rows are known when its step is over. So the next step takes them; a restart reads them back from speed/<view>.
"""

from collections.abc import Mapping

import pyarrow as pa
import pyarrow.compute as pc

from streaming.state.feeds import Pending, wakes
from streaming.state.layout import Layout
from streaming.state.said import Said, learnt


def of_step(layout: Layout, parts: Mapping[str, Said], told: pa.Table) -> Pending:
    """After a step that `told` so: only parts of which a row closes before they are looked at anyway get a mark."""
    marks = []
    rows = {name: one.learned for name, one in parts.items()}
    for place, soonest in _soonest(layout, rows):
        own = told.filter(pc.equal(told["kind"], place)).select(["part", "wake"])
        known = soonest.join(own, "part", join_type="left outer", use_threads=False)
        earlier = known.filter(pc.less(known["closes"], known["wake"]))
        if earlier.num_rows:
            marks.append(wakes(place, earlier["part"], earlier["closes"]))
    return Pending(rows, marks)


def of_rows(layout: Layout, opened: Mapping[str, pa.Table], ended: Mapping[str, pa.Table]) -> Pending:
    """Of rows (with CLOSES) that are open, and of those that are no more."""
    rows = {}
    for view in layout.views:
        both = [learnt(layout, view, opened[view.name], gone=False)]
        if view.name in ended:
            both.append(learnt(layout, view, ended[view.name], gone=True))
        rows[view.name] = pa.concat_tables(both)
    marks = [wakes(place, soonest["part"], soonest["closes"]) for place, soonest in _soonest(layout, rows)]
    return Pending(rows, marks)


def _soonest(layout: Layout, rows: Mapping[str, pa.Table]) -> list[tuple[int, pa.Table]]:
    """Per kind with any, each part in which rows are open, and when the first of them closes."""
    found = []
    for place, kind in enumerate(layout.kinds):
        both = pa.concat_tables([rows[view.name].select(["part", "gone", "closes"]) for view in kind.views])
        both = both.filter(pc.and_(pc.invert(both["gone"]), pc.is_valid(both["closes"])))
        if both.num_rows:
            soonest = both.group_by("part", use_threads=False).aggregate([("closes", "min")])
            found.append((place, soonest.rename_columns(["part", "closes"])))
    return found

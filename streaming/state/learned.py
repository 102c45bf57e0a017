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
from streaming.state.said import Said, closings, learnt


def of_step(layout: Layout, parts: Mapping[str, Said], told: pa.Table) -> Pending:
    """After a step that `told` so: only parts of which a row closes before they are looked at anyway get a mark."""
    marks = []
    for place, soonest in _soonest(layout, {name: one.closing for name, one in parts.items()}):
        own = told.filter(pc.equal(told["kind"], place)).select(["part", "wake"])
        known = soonest.join(own, "part", join_type="left outer", use_threads=False)
        earlier = known.filter(pc.less(known["at"], known["wake"]))
        if earlier.num_rows:
            marks.append(wakes(place, earlier["part"], earlier["at"]))
    return Pending({name: one.learned for name, one in parts.items() if one.learned.num_rows}, marks)


def of_rows(layout: Layout, opened: Mapping[str, pa.Table], ended: Mapping[str, pa.Table]) -> Pending:
    """Of rows (with CLOSES) that are open, and of those that are no more."""
    kinds = {view.name: layout.kinds[layout.kind_of(view)] for view in layout.views}
    rows, times = {}, {}
    for view in layout.views:
        kind = kinds[view.name]
        both = [learnt(kind, view, opened[view.name], gone=False)]
        if view.name in ended:
            both.append(learnt(kind, view, ended[view.name], gone=True))
        rows[view.name] = pa.concat_tables(both)
        times[view.name] = closings(kind, view, opened[view.name])
    return Pending(rows, [wakes(place, soonest["part"], soonest["at"]) for place, soonest in _soonest(layout, times)])


def _soonest(layout: Layout, times: Mapping[str, pa.Table]) -> list[tuple[int, pa.Table]]:
    """Per kind with any, each part with the soonest time of its views, as `at`."""
    found = []
    for place, kind in enumerate(layout.kinds):
        both = pa.concat_tables([times[view.name] for view in kind.views])
        both = both.filter(pc.is_valid(both["at"]))
        if both.num_rows:
            soonest = both.group_by("part", use_threads=False).aggregate([("at", "min")])
            found.append((place, soonest.rename_columns(["part", "at"])))
    return found

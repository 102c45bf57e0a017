"""The rows that a store is given in a micro-batch: new events by part, changes by key, and what was said of rows last time.

Data flow: new events in Arrow, the last micro-batch's Pending -> one Arrow table per feed of the layout, and the marks
Run: pytest tests/streaming/test_view_state.py
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql.pandas.types import to_arrow_schema

from streaming.state import changelog
from streaming.state.kinds import ALL
from streaming.state.layout import MARKS, WAKE, WINDOWS, Feed, Layout, micros, of_topic
from streaming.state.nested import nested, whole
from streaming.state.view_state import of_topics, on_time
from streaming.views.as_of import KNOWN_AT
from streaming.views.law import ByWindow

MARKS_IN_ARROW = to_arrow_schema(MARKS)


@dataclass
class Pending:
    """What the store learns with the next micro-batch: rows that are open now, or no more; parts to be looked at earlier."""

    rows: dict[str, pa.Table] = field(default_factory=dict)
    """Per view, in the schema of its feed."""
    wakes: list[pa.Table] = field(default_factory=list)
    """Marks."""


@cache
def form_of(topic: str) -> pa.Schema:
    """A topic's events in Arrow, as views need them."""
    return to_arrow_schema(of_topic(topic), timezone="UTC")


class Events:
    """A micro-batch's new events, as `counted_in_arrow` gives them, by topic."""

    def __init__(self, of_topic: Callable[[str], pa.Table]) -> None:
        self.every = cache(of_topic)
        """Those of a topic."""
        self.timely = cache(lambda topic: on_time(self.every(topic)))
        """Of these the ones that were not late."""


def by_topic(new: pa.Table) -> Events:
    """Events that are here."""
    return Events(lambda topic: of_topics(new, (topic,)))


def tables(layout: Layout, new: Events, pending: Pending, watermark: pa.Scalar | None) -> list[pa.Table]:
    """One table per feed, then the marks."""
    return [*(given(layout, feed, new, pending) for feed in layout.feeds), marks(layout, new, pending, watermark)]


def given(layout: Layout, feed: Feed, new: Events, pending: Pending) -> pa.Table:
    """What a feed is given."""
    if feed.what == "rows":
        rows = pending.rows.get(layout.views[feed.ref].name)
        return layout.arrow[feed].empty_table() if rows is None else rows
    topic, kind = layout.topics[feed.ref], layout.kinds[feed.kind]
    if feed.what == "events":
        own = new.timely(topic)
        return _events(layout, feed, own, kind.parts(own, topic), kind.looked_up(own, topic, layout.topics))
    own = new.every(topic)
    keys = changelog.keys(own, topic)
    return _events(layout, feed, own, pa.chunked_array([pa.repeat(ALL, own.num_rows)]) if feed.all else keys, keys)


def marks(layout: Layout, new: Events, pending: Pending, watermark: pa.Scalar | None) -> pa.Table:
    """The marks of all feeds."""
    found = list(pending.wakes)
    for feed in layout.feeds:
        if feed.what == "changes" and feed.all and (own := new.every(layout.topics[feed.ref])).num_rows:
            found.append(_windows(layout, feed, own, watermark))
    return pa.concat_tables(found) if found else _marks([], [], [], [])


def wakes(kind: int, parts: pa.ChunkedArray, times: pa.ChunkedArray) -> pa.Table:
    """Marks: look at the parts of a kind at those times (microseconds)."""
    return _marks([WAKE] * len(parts), [kind] * len(parts), parts, times)


def _windows(layout: Layout, feed: Feed, changes: pa.Table, watermark: pa.Scalar | None) -> pa.Table:
    """The mark that changes touch all windows from the first one on at whose time they were known."""
    kind = layout.kinds[feed.kind]
    assert isinstance(kind.law, ByWindow)
    first = pc.min(changes[KNOWN_AT]).cast(pa.int64()).as_py()
    if watermark is not None:
        first = max(first, watermark.cast(pa.int64()).as_py() - micros(kind.span))
    return _marks([WINDOWS], [feed.kind], [str(first // micros(kind.law.size))], [feed.views])


def _events(layout: Layout, feed: Feed, events: pa.Table, parts: pa.ChunkedArray, texts: pa.ChunkedArray) -> pa.Table:
    form = layout.arrow[feed]
    if not events.num_rows:
        return form.empty_table()
    columns = [whole(parts), whole(texts), nested(events, form.field("event").type)]
    return pa.table(columns, schema=form)


def _marks(*columns: Any) -> pa.Table:
    return pa.table([whole(one) for one in columns], schema=MARKS_IN_ARROW)

"""What a store holds, what comes in and what goes out: the same lists for Python, and as JSON for the Java of this room.

Data flow: some views -> Layout -> feeds (Spark tables that are put), leaves (Spark tables that a plan reads)
Run: pytest tests/streaming/test_view_state.py
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import timedelta
from functools import cached_property
from typing import Any

import pyarrow as pa
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import (
    BooleanType,
    IntegerType,
    LongType,
    StringType,
    StructField,
    StructType,
    TimestampType,
)

from streaming.contracts import CONTRACTS
from streaming.state.kinds import Kind, kinds
from streaming.state.view_state import CLOSES, OF_EVENT
from streaming.tables.silver import EVENT
from streaming.views.as_of import KNOWN_AT
from streaming.views.law import ByWindow
from streaming.views.view import View

CONTROL = StructType(
    [
        StructField("version", LongType()),
        StructField("watermark", LongType()),
        StructField("next_watermark", LongType()),
        StructField("mode", IntegerType()),
    ]
)
MARKS = StructType(
    [
        StructField("what", IntegerType()),
        StructField("kind", IntegerType()),
        StructField("part", StringType()),
        StructField("at", LongType()),
    ]
)
TOLD = StructType(
    [
        StructField("kind", IntegerType()),
        StructField("part", StringType()),
        StructField("views", LongType()),
        StructField("wake", LongType()),
    ]
)
STEP, FILL, LOOK, SPARE, FILLED = 0, 1, 2, 3, 4
"""Of the control row: a micro-batch; one that gives nothing out; only to see that the store has the version; a micro-batch
behind which another one comes, so that what is large may wait; all that the store is to begin with was filled in."""
MANY = 256
"""Events of a part of which all else is kept apart, so that it can be read without them."""
LARGE, SHARE = 20_000, 8
"""Events of a part that is given to its views again when it has grown by an eighth, or when no further micro-batch is to come."""
HELD = 128 << 20
"""Bytes of events that a step has in memory. Those of parts beyond it are read again by each view."""
HOT, HOT_KIND = 2_000, -2
"""Events from which on a touched part is told, as kind HOT_KIND - its own, with how many they are as `views`."""
WAKE, WINDOWS = 0, 1
"""What a mark says: look at the part at that time; changes touch all windows from that one on, of those views."""


@dataclass(frozen=True)
class Feed:
    """Rows that come in: `what` is events, changes or rows; `ref` a topic's place or a view's; `views` (bits) whom they touch."""

    what: str
    kind: int
    ref: int
    views: int = 0
    all: bool = False


@dataclass(frozen=True)
class Leaf:
    """Rows that go out to a view: `what` is events, changes, rows or new (events of a topic of `Layout.new`); `told` goes to the
    driver."""

    what: str
    view: int = 0
    topic: int = 0
    all: bool = False


class Layout:
    """The store of some views; `number` tells a stream's stores apart. `new`: topics whose new events go out as they are."""

    def __init__(self, views: Sequence[View], number: int, new: Sequence[str] = ()) -> None:
        self.number, self.new = number, new
        self.kinds: list[Kind] = kinds(views)
        self.views: list[View] = [view for kind in self.kinds for view in kind.views]
        self.topics: list[str] = sorted({topic for view in self.views for topic in view.inputs})

    @cached_property
    def feeds(self) -> list[Feed]:
        """What comes in, beside the control row before and the marks behind."""
        found = [
            Feed(
                "events",
                place,
                self.topics.index(topic),
                self._bits(kind, (topic in view.streams for view in kind.views)),
            )
            for place, kind in enumerate(self.kinds)
            for topic in kind.streams
        ]
        for place, kind in enumerate(self.kinds):
            for topic, is_all in kind.changelogs:
                looks = (topic in view.changelogs and (view.changelogs[topic] is None) == is_all for view in kind.views)
                found.append(Feed("changes", place, self.topics.index(topic), self._bits(kind, looks), is_all))
        return found + [Feed("rows", self.kind_of(view), number) for number, view in enumerate(self.views)]

    @cached_property
    def leaves(self) -> list[Leaf]:
        """What goes out: per view its events and the changes that they look up, by topic, its open rows; then what is told."""
        found = []
        for number, view in enumerate(self.views):
            found += [self.leaf(view, topic) for topic in view.inputs]
            found.append(Leaf("rows", number))
        return [*found, *(Leaf("new", topic=place) for place in range(len(self.new))), Leaf("told")]

    def leaf(self, view: View, topic: str) -> Leaf:
        """What a view is given of one of its inputs."""
        place = self.views.index(view), self.topics.index(topic)
        if topic in view.changelogs:
            return Leaf("changes", *place, view.changelogs[topic] is None)
        return Leaf("events", *place)

    @cached_property
    def arrow(self) -> dict[Feed, pa.Schema]:
        """The schema of each feed in Arrow, made once: every micro-batch needs them."""
        return {feed: to_arrow_schema(self.schema(feed), timezone="UTC") for feed in self.feeds}

    @cached_property
    def rows(self) -> dict[str, Feed]:
        """Per view, the feed of its rows."""
        return {self.views[feed.ref].name: feed for feed in self.feeds if feed.what == "rows"}

    def kind_of(self, view: View) -> int:
        """The place of a view's kind."""
        return next(place for place, kind in enumerate(self.kinds) if view in kind.views)

    def schema(self, one: Feed | Leaf) -> StructType:
        """The schema of a feed or a leaf."""
        if isinstance(one, Leaf):
            if one.what in ("told", "new"):
                return TOLD if one.what == "told" else of_topic(self.new[one.topic])
            return closing(self.views[one.view]) if one.what == "rows" else of_topic(self.topics[one.topic])
        first = [StructField("part", StringType()), StructField("text", StringType())]
        if one.what != "rows":
            return StructType([*first, StructField("event", of_topic(self.topics[one.ref]))])
        state = [StructField("gone", BooleanType()), StructField("closes", LongType())]
        return StructType([*first, *state, StructField("row", closing(self.views[one.ref]))])

    def json(self, folder: str) -> str:
        """For daybreak.state.Layout; times in microseconds. `folder`: where the store keeps its versions."""
        spans = [view.reach + view.lookback for view in self.views]
        form = {
            "folder": folder,
            "store": self.number,
            "fields": len(OF_EVENT) + 1,
            "changes": micros(max(spans, default=timedelta(0))),
            "many": MANY,
            "large": LARGE,
            "share": SHARE,
            "hot": min(HOT, LARGE),
            "held": HELD,
            "kinds": [self._of_kind(kind) for kind in self.kinds],
            "views": [
                {"kind": self.kind_of(view), "fields": len(closing(view)), "span": micros(span)} | _rest(view)
                for view, span in zip(self.views, spans, strict=True)
            ],
            "feeds": [asdict(feed) for feed in self.feeds],
            "leaves": [asdict(leaf) for leaf in self.leaves],
        }
        return json.dumps(form)

    def _of_kind(self, kind: Kind) -> dict[str, int]:
        size, back = (kind.law.size, kind.law.lookback) if isinstance(kind.law, ByWindow) else (timedelta(0),) * 2
        return {"span": micros(kind.span), "size": micros(size), "back": micros(back)}

    def _bits(self, kind: Kind, wanted: Iterable[bool]) -> int:
        return sum(1 << self.views.index(view) for view, is_wanted in zip(kind.views, wanted, strict=True) if is_wanted)


def _rest(view: View) -> dict[str, Any]:
    """For how long events are needed without an open row (View.rest), and where a row says its time."""
    return {
        "rests": view.stays_open,
        "at": closing(view).fieldNames().index(view.time),
        "rest": micros(view.rest),
        "lookback": micros(view.lookback),
        "pause": micros(view.pause),
    }


def micros(span: timedelta) -> int:
    """A span in microseconds."""
    return span // timedelta(microseconds=1)


def of_topic(topic: str) -> StructType:
    """The schema of a topic's events, as views need them."""
    fields = {field.name: field for field in EVENT} | {KNOWN_AT: StructField(KNOWN_AT, TimestampType())}
    return StructType([fields[name] for name in (*OF_EVENT, CONTRACTS[topic].column)])


def closing(view: View) -> StructType:
    """The schema of a view's rows with CLOSES."""
    return StructType([*view.schema, StructField(CLOSES, TimestampType())])

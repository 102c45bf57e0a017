"""A step of some views' state inside Spark's tasks: what the driver does where it holds the rows, done where they are.

Data flow: Given (one line of JSON) -> events of silver's new files, what was kept last -> feeds; the plan's rows -> files, kept
Run: pytest tests/streaming/test_in_tasks.py

A task may be repeated: from the same Given it reads the same, and writes the same under the same names. Files of tables have
new names each time, and only those of the attempt that the driver heard of are committed.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from functools import cache
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import BinaryType, LongType, StringType, StructField, StructType

from infra.lake.folder import Folder
from infra.lake.task_files import Target, write
from streaming.contracts import CONTRACTS
from streaming.state import feeds, learned
from streaming.state.changelog import counted_in_arrow
from streaming.state.feeds import Events
from streaming.state.found import TOLD, said_of, separated
from streaming.state.kept import body_of, keep, kept, pending_of, sums_of
from streaming.state.layout import Layout
from streaming.state.one_frame import Places, apart
from streaming.state.packed import packed, stream, unpacked
from streaming.state.view_state import CLOSES, OF_EVENT, Sums
from streaming.views import VIEWS
from streaming.views.as_of import KNOWN_AT
from streaming.views.view import View

GIVEN = StructType([StructField("given", StringType())])
ANSWER = StructType(
    [
        StructField("name", StringType()),
        StructField("files", StringType()),
        StructField("rows", LongType()),
        StructField("bytes", LongType()),
        StructField("body", BinaryType()),
    ]
)
"""Per view: the files that it was written to, as JSON; what is held of it, if it is additive; its rows, if they are
alerts. As TOLD: what the store told, without the parts."""
ANSWER_IN_ARROW = to_arrow_schema(ANSWER)
FORM = ["place", "body"]
STORED = [name for name in OF_EVENT if name != KNOWN_AT]
Batches = Iterable[pa.RecordBatch]


@dataclass(frozen=True)
class Hand:
    """Some views, by name, as tasks know them: additive ones, the others, the number of their store; silver's folder, the one in
    which they keep what they need next, and where their rows are written."""

    number: int
    sums: tuple[str, ...]
    parts: tuple[str, ...]
    silver: Folder
    keeps: Folder
    targets: Mapping[str, Target]


@dataclass(frozen=True)
class Given:
    """A step: silver's new files, or a file of events to begin with; what was kept before, and where it is kept after;
    watermarks in microseconds; the columns that every row gets, and the version of each view."""

    silver: tuple[str, ...] = ()
    events: str | None = None
    kept: str | None = None
    keep: str | None = None
    watermark: int | None = None
    after: int | None = None
    stamp: Mapping[str, Any] = field(default_factory=dict)
    definitions: Mapping[str, str] = field(default_factory=dict)

    def text(self) -> str:
        """As one line."""
        return json.dumps(asdict(self))


def feeding(hand: Hand) -> Callable[[Batches], Batches]:
    """For `mapInArrow`: Given -> PACKED, what a step of the store is given."""

    def made(batches: Batches) -> Batches:
        layout = layout_of(hand)
        for given in _givens(batches):
            new, pending = _events(hand, given), pending_of(layout, kept(hand.keeps, given.kept))
            tables = feeds.tables(layout, new, pending, _time(given.watermark))
            tables += [new.timely(topic).select([*OF_EVENT, CONTRACTS[topic].column]) for topic in layout.new]
            found = [(place, stream(own)) for place, own in enumerate(tables) if own.num_rows]
            columns = [list(column) for column in zip(*found, strict=True)] or [[], []]
            yield pa.RecordBatch.from_arrays(
                [pa.array(columns[0], pa.int32()), pa.array(columns[1], pa.binary())], FORM
            )
        # The process stays, and these files are read no more.
        body_of.cache_clear()

    return made


def finishing(hand: Hand, of: Places) -> Callable[[Batches], Batches]:
    """For `mapInArrow`: the rows of all views, together -> files of their tables, what is kept for the next step, and ANSWER."""

    def made(batches: Batches) -> Batches:
        every = pa.Table.from_batches(list(batches))
        (given,) = (Given(**json.loads(text)) for text in apart(every, GIVEN_ROW, of)["given"].to_pylist())
        layout, views = layout_of(hand), views_of(hand)
        found = separated(every, views, layout, of)
        after = _time(given.after)
        parts = said_of(layout, found, _time(given.watermark), after)
        pending = learned.of_step(layout, parts, found.told)
        sums = {name: sums_of(name, kept(hand.keeps, given.kept)) for name in hand.sums}
        rows = {name: own.written for name, own in parts.items()}
        rows |= {name: own.to_write(found.defined[name], after) for name, own in sums.items()}
        answers = [_answer(hand, name, own, given, sums.get(name)) for name, own in rows.items()]
        assert given.keep is not None
        keep(hand.keeps, given.keep, pending, {name: own.opened for name, own in sums.items()})
        rest = found.told.filter(pc.less(found.told["kind"], 0))
        answers.append({"name": TOLD, "body": packed({TOLD: rest})})
        yield from pa.Table.from_pylist(answers, schema=ANSWER_IN_ARROW).to_batches()

    return made


GIVEN_ROW = "given row"
"""What the row of the plan is that brings what was given."""


def views_of(hand: Hand) -> list[View]:
    """All of a hand's views, in the order of its plan."""
    return [*(VIEWS[name] for name in hand.sums), *layout_of(hand).views]


def layout_of(hand: Hand) -> Layout:
    """What the store of a hand holds."""
    return _layout(hand.sums, hand.parts, hand.number)


@cache
def _layout(sums: tuple[str, ...], parts: tuple[str, ...], number: int) -> Layout:
    new = sorted({topic for name in sums for topic in VIEWS[name].inputs})
    return Layout([VIEWS[name] for name in parts], number, new)


def _givens(batches: Batches) -> Iterator[Given]:
    """One, or none where a store is only looked at."""
    for batch in batches:
        for text in batch.column(0).to_pylist():
            yield Given(**json.loads(text))


def _time(micros: int | None) -> pa.Scalar | None:
    return None if micros is None else pa.scalar(micros, pa.timestamp("us", "UTC"))


def _events(hand: Hand, given: Given) -> Events:
    def of_topic(topic: str) -> pa.Table:
        if given.events:
            own = unpacked(body_of(hand.keeps, given.events))["events"]
            return own.filter(pc.equal(own["topic"], topic))
        column = CONTRACTS[topic].column
        form = pa.schema([feeds.form_of(topic).field(name) for name in (*STORED, column)])
        found = [form.append(pa.field("late_by_ms", pa.int64())).empty_table()]
        for path in given.silver:
            rows = pq.read_table(
                pa.BufferReader(body_of(hand.silver, path)),
                columns=[*STORED, column, "late_by_ms"],
                filters=[("topic", "=", topic)],
                partitioning=None,
            )
            found.append(rows.select(found[0].column_names).cast(found[0].schema))
        return counted_in_arrow(pa.concat_tables(found))

    return Events(of_topic)


def _answer(hand: Hand, name: str, rows: pa.Table, given: Given, sums: Sums | None) -> dict[str, Any]:
    rows = rows.drop_columns([CLOSES])
    stamped, own = rows, {"as_of": _time(given.stamp["as_of"]), "definition": given.definitions[name]}
    for column, value in {**given.stamp, **own}.items():
        stamped = stamped.append_column(column, pa.repeat(value, rows.num_rows))
    files = [asdict(one) for one in write(stamped, hand.targets[name])]
    held, size = sums.held() if sums else (None, None)
    body = packed({name: rows}) if VIEWS[name].alerts and rows.num_rows else None
    return {"name": name, "files": json.dumps(files), "rows": held, "bytes": size, "body": body}

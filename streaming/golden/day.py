"""A golden day: what both layers say of a sample's records now, held against what is expected of them.

Data flow: <folder>/records.jsonl -> accepted events -> stream and night -> what differs from each other, or from expected.jsonl
Run: python -m streaming.golden tests/day
"""

import json
from collections import Counter
from collections.abc import Iterable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import SparkSession

from infra.failures import PermanentFailure
from infra.settings import settings
from streaming.golden.both_layers import Row, counted, cut, known, of_night, of_stream
from streaming.golden.judged import Judged, judged
from streaming.golden.record import EXPECTED, RECORDS, Record, lines_of
from streaming.views import VIEWS
from streaming.views.view import View

MICRO_BATCHES = 4
SHOWN = 10
"""Faults that are told, at most."""


class GoldenDay:
    """A folder with the records of a sample, and with what is expected of them; `session` is the Spark that answers."""

    def __init__(self, folder: Path | str, session: SparkSession) -> None:
        self.folder = Path(folder)
        self._session = session

    def faults(self) -> list[str]:
        """What is not as it should be, a sentence each; none if all is well.

        The stream's rows, after micro-batches in order of arrival, are those of the views over the events that it counts: all but
        late ones. The rejected records, and the night's rows over all events, are the expected ones. Raises PermanentFailure if
        the folder has no records, or something else among them.
        """
        if not (file := self.folder / EXPECTED).exists():
            return [f"there is no {file}: python -m streaming.golden {self.folder} writes it"]
        found = self._judged()
        faults = self._layers_apart(found.events)
        expected, now = lines_of(file), self._answers(found)
        faults += _more("expected, and not so any more", expected, now) + _more("not expected", now, expected)
        return faults[:SHOWN] + ([f"and {len(faults) - SHOWN} more"] if len(faults) > SHOWN else [])

    def expect(self) -> str:
        """Keep what is so now as what is expected; returns how much it is. Raises PermanentFailure if the layers differ."""
        found = self._judged()
        if faults := self._layers_apart(found.events):
            raise PermanentFailure(f"{self.folder}: {faults[0]}")
        answers = self._answers(found)
        (self.folder / EXPECTED).write_text("".join(f"{line}\n" for line in answers))
        events, rejected = found.events.num_rows, len(found.rejected)
        return f"{events:,} events, {rejected:,} rejected records, {len(answers) - rejected:,} rows of views"

    def _judged(self) -> Judged:
        return judged(self._session, _read(self.folder))

    def _layers_apart(self, events: pa.Table) -> list[str]:
        own, faults = counted(events), []
        batches = cut(own, MICRO_BATCHES, timedelta(seconds=settings().watermark_delay_seconds))
        for name, rows in of_stream(self._session, _views(events), batches).items():
            stream, together = _lines(name, rows), _lines(name, of_night(self._session, VIEWS[name], own))
            faults += _more("the stream says, and its events together do not", stream, together)
            faults += _more("the stream does not say, and its events together do", together, stream)
        return faults

    def _answers(self, found: Judged) -> list[str]:
        every = known(found.events)
        rows = (_lines(view.name, of_night(self._session, view, every)) for view in _views(found.events))
        return [*map(_line, found.rejected), *(line for lines in rows for line in lines)]


def _read(folder: Path) -> list[Record]:
    file, found = folder / RECORDS, []
    if not file.exists():
        raise PermanentFailure(f"there is no {file}: daybreak sample --day D --keys 50 --to {folder} writes it")
    for number, line in enumerate(lines_of(file), 1):
        try:
            found.append(Record.of(line))
        except ValueError as wrong:
            raise PermanentFailure(f"{file}, line {number}, is no record of a sample: {wrong}") from wrong
    return found


def _views(events: pa.Table) -> list[View]:
    """Those whose rows some of the events create."""
    topics = set(pc.unique(events["topic"]).to_pylist())
    return [view for view in VIEWS.values() if view.inputs[0] in topics]


def _lines(name: str, rows: Iterable[Row]) -> list[str]:
    return [_line({"view": name, **row}) for row in rows]


def _line(row: Row) -> str:
    return json.dumps(row, ensure_ascii=False, default=_text)


def _text(value: Any) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value)


def _more(what: str, these: Iterable[str], those: Iterable[str]) -> list[str]:
    """A sentence for each line that these have and those lack."""
    return [f"{what}: {line}" for line in (Counter(these) - Counter(those)).elements()]

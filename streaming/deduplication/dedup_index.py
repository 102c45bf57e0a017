"""In-memory index of accepted event ids, to find duplicates among on-time events.

Data flow: accepted events at or after the watermark -> those that a micro-batch repeats
Run: pytest tests/streaming/test_dedup_index.py
Source: the log-structured merge tree of O'Neil, Cheng, Gawlick and O'Neil, 1996.

A duplicate has the event time of its original, so an on-time event can only repeat an event within the allowed
lateness. Those are kept here, 32 bytes each (rate x delay entries); late events are looked up in silver
(late_duplicates.py). The result must not depend on when old entries were last removed, so that a micro-batch repeated
after a crash finds the same duplicates.
"""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from streaming.deduplication.event_ids import Arrived, Bits, Known, Marks, Numbers, bits, firsts, nothing_known

TIDY_MS = 60_000
"""Old entries are removed once per minute of event time (milliseconds), not with every micro-batch."""


@dataclass(frozen=True)
class _Run:
    """Entries; those of the index are sorted by their ids' upper bits."""

    high: Bits
    low: Bits
    times_ms: Numbers
    contents: Numbers

    def __len__(self) -> int:
        return len(self.high)

    def chosen(self, places: Numbers | Marks) -> "_Run":
        return _Run(self.high[places], self.low[places], self.times_ms[places], self.contents[places])

    def find(self, high: Bits, low: Bits, since_ms: int) -> Numbers:
        """The place of each id's entry at or after `since_ms`; -1 where there is none."""
        found = np.full(len(high), -1, np.int64)
        at = np.searchsorted(self.high, high)
        wanted = np.flatnonzero(at < len(self))
        while len(wanted):
            wanted = wanted[self.high[at[wanted]] == high[wanted]]
            places = at[wanted]
            is_it = (self.low[places] == low[wanted]) & (self.times_ms[places] >= since_ms)
            found[wanted[is_it]] = places[is_it]
            # Another id may begin with the same bits, and a forgotten entry may have the same id.
            wanted = wanted[~is_it]
            at[wanted] += 1
            wanted = wanted[at[wanted] < len(self)]
        return found


class DedupIndex:
    """Ids and content hashes of the accepted events at or after the watermark."""

    def __init__(self) -> None:
        self._runs: list[_Run] = []
        self._tidied_ms = 0

    def __len__(self) -> int:
        return sum(map(len, self._runs))

    def restore(self, written: pa.Table) -> None:
        """Fill with what earlier batches accepted: columns event_id, time_ms, content_hash."""
        ids = bits(written["event_id"].combine_chunks())
        self._put(_Run(*ids, *(np.asarray(written[name]) for name in ("time_ms", "content_hash"))))

    def known(self, arrived: Arrived, watermark_ms: int) -> Known:
        """Of each arrival the content hash of a written event at or after the watermark whose id it repeats."""
        return self._known(*arrived.bits, watermark_ms)

    def _known(self, high: Bits, low: Bits, since_ms: int) -> Known:
        known = nothing_known(high)
        for run in self._runs:
            found = run.find(high, low, since_ms)
            is_in = found >= 0
            known.found[is_in] = True
            known.contents[is_in] = run.contents[found[is_in]]
        return known

    def add(self, arrived: Arrived, watermark_ms: int | None) -> None:
        """Add the events of a written batch; once per TIDY_MS, remove entries older than the watermark.

        Of one id the first stays. An entry behind the watermark counts as removed, even if it is still here.
        """
        since = np.iinfo(np.int64).min if watermark_ms is None else watermark_ms
        every = _Run(*arrived.bits, arrived.times_ms, arrived.contents)
        timely = every.chosen(arrived.times_ms >= since)
        timely = timely.chosen(firsts(timely.high, timely.low) == np.arange(len(timely)))
        new = timely.chosen(~self._known(timely.high, timely.low, since).found)
        if len(new):
            self._put(new)
        if watermark_ms is not None and watermark_ms - self._tidied_ms >= TIDY_MS:
            kept = [run.chosen(run.times_ms >= watermark_ms) for run in self._runs]
            self._runs = [run for run in kept if len(run)]
            self._tidied_ms = watermark_ms

    def _put(self, new: _Run) -> None:
        """Add a run; those that are not much larger than what comes behind them are merged with it, so there are few."""
        runs = [new]
        while self._runs and len(self._runs[-1]) < 2 * sum(map(len, runs)):
            runs.append(self._runs.pop())
        columns = ([getattr(run, name) for run in runs] for name in ("high", "low", "times_ms", "contents"))
        merged = _Run(*map(np.concatenate, columns))
        self._runs.append(merged.chosen(np.argsort(merged.high, kind="stable")))

"""The valid events of a micro-batch, as columns: what tells them apart, their times, and a hash of their content.

Data flow: validated rows -> Arrived -> repeated ids, outcomes
Run: pytest tests/streaming/test_dedup_index.py

An id is 128 bits: a UUID's own, else a hash of its text. As numbers, ids take a tenth of the room that texts take.
"""

from collections.abc import Mapping, Sized
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

Numbers = npt.NDArray[np.int64]
Bits = npt.NDArray[np.uint64]
Marks = npt.NDArray[np.bool_]
DASHES = (8, 13, 18, 23)
LENGTH, NO_DIGIT = 36, 255
_DIGITS = np.full(256, NO_DIGIT, np.uint8)
_DIGITS[np.frombuffer(b"0123456789abcdef", np.uint8)] = np.arange(16)
_PLACES = [place for place in range(LENGTH) if place not in DASHES]


@dataclass(frozen=True)
class Arrived:
    """Valid events in the order of their arrival: `ids` as texts, `times_ms` (epoch milliseconds), `contents` (hashes)."""

    ids: pa.Array
    times_ms: Numbers
    contents: Numbers

    def __len__(self) -> int:
        return len(self.times_ms)

    @cached_property
    def bits(self) -> tuple[Bits, Bits]:
        """The ids' upper and lower 64 bits."""
        return bits(self.ids)

    @cached_property
    def firsts(self) -> Numbers:
        """For each event, the place of the first one with its id."""
        return firsts(*self.bits)

    @property
    def latest_ms(self) -> int | None:
        """The latest event time; None if there is no event."""
        return int(self.times_ms.max()) if len(self) else None

    def where(self, wanted: Marks) -> "Arrived":
        """Some of them."""
        return Arrived(self.ids.filter(pa.array(wanted)), self.times_ms[wanted], self.contents[wanted])


@dataclass(frozen=True)
class Known:
    """Which arrivals repeat the id of a written event, and the hashes of those events' contents (0 where none)."""

    found: Marks
    contents: Numbers

    def add(self, arrived: Arrived, contents: Mapping[str, int]) -> None:
        """Mark what else is known of the arrivals, by id; what is known already stays."""
        if contents:
            ids = pa.array(contents, pa.string())
            places = np.asarray(pc.index_in(arrived.ids, ids).fill_null(-1))
            is_new = (places >= 0) & ~self.found
            self.contents[is_new] = np.array([*contents.values()], np.int64)[places[is_new]]
            self.found[is_new] = True


def nothing_known(arrivals: Sized) -> Known:
    """None of the arrivals repeats an event."""
    return Known(np.zeros(len(arrivals), np.bool_), np.zeros(len(arrivals), np.int64))


def firsts(high: Bits, low: Bits) -> Numbers:
    """For each id, the place of the first one that is the same."""
    order = np.lexsort((low, high))
    begins = np.ones(len(order), np.bool_)
    begins[1:] = (high[order][1:] != high[order][:-1]) | (low[order][1:] != low[order][:-1])
    found = np.empty(len(order), np.int64)
    found[order] = order[np.maximum.accumulate(np.where(begins, np.arange(len(order)), 0))]
    return found


def bits(ids: pa.Array) -> tuple[Bits, Bits]:
    """The upper and lower 64 bits of each id: of a UUID in lower case its own, else of a hash of its text."""
    count = len(ids)
    both = np.zeros((count, 2), np.uint64)
    texts = np.array(ids.cast(pa.binary()).to_pylist(), object)
    is_uuid = np.fromiter((len(text) == LENGTH for text in texts), np.bool_, count)
    letters = np.frombuffer(b"".join(texts[is_uuid]), np.uint8).reshape(-1, LENGTH)
    digits = _DIGITS[letters[:, _PLACES]]
    is_so = (letters[:, DASHES] == ord("-")).all(axis=1) & (digits != NO_DIGIT).all(axis=1)
    is_uuid[is_uuid] = is_so
    halves = digits[is_so]
    both[is_uuid] = (halves[:, 0::2] << 4 | halves[:, 1::2]).view(">u8").astype(np.uint64)
    for place in np.flatnonzero(~is_uuid):
        both[place] = np.frombuffer(blake2b(texts[place], digest_size=16).digest(), ">u8")
    return both[:, 0], both[:, 1]

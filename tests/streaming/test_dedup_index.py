"""A new on-time event is compared with what was accepted at or after the watermark, whenever the memory was tidied."""

import random
from uuid import UUID

import numpy as np
import pyarrow as pa
import pytest

from streaming.deduplication.dedup_index import TIDY_MS, DedupIndex
from streaming.deduplication.event_ids import Arrived, bits

Event = tuple[str, int, int]
"""Id, event time (epoch milliseconds), hash of the content."""


def arrived(*events: Event) -> Arrived:
    ids, times, contents = zip(*events, strict=True) if events else ((), (), ())
    return Arrived(pa.array(ids, pa.string()), np.array(times, np.int64), np.array(contents, np.int64))


def known(recent: DedupIndex, watermark_ms: int, *events: Event) -> dict[str, int]:
    some = arrived(*events)
    found = recent.known(some, watermark_ms)
    each = zip(some.ids.to_pylist(), found.found.tolist(), found.contents.tolist(), strict=True)
    return {event_id: content for event_id, is_found, content in each if is_found}


def test_memory_knows_what_was_added_and_forgets_what_is_behind_the_watermark() -> None:
    recent = DedupIndex()
    recent.add(arrived(("a", 100, 1), ("b", 200, 2)), None)
    assert known(recent, 0, ("a", 100, 9), ("x", 100, 1)) == {"a": 1}
    recent.add(arrived(("c", 300, 3)), 200)
    assert known(recent, 200, *((name, 0, 0) for name in "abc")) == {"b": 2, "c": 3}


def test_what_is_tidied_away_is_what_was_forgotten_before() -> None:
    recent = DedupIndex()
    recent.add(arrived(("behind", TIDY_MS - 1, 1), ("on it", TIDY_MS, 2)), None)
    recent.add(arrived(), TIDY_MS)
    assert (len(recent), sum(column.nbytes for run in recent._runs for column in vars(run).values())) == (1, 32)
    assert known(recent, TIDY_MS, ("behind", 0, 0), ("on it", 0, 0)) == {"on it": 2}


def test_the_first_arrival_stays_what_is_remembered() -> None:
    recent = DedupIndex()
    recent.add(arrived(("a", 100, 1)), None)
    recent.add(arrived(("a", 100, 2), ("b", 100, 3), ("b", 100, 4)), None)
    assert known(recent, 0, ("a", 100, 2), ("b", 100, 4)) == {"a": 1, "b": 3}


def test_a_forgotten_id_that_comes_again_is_remembered_anew() -> None:
    recent = DedupIndex()
    recent.add(arrived(("a", 100, 1)), 0)
    recent.add(arrived(("a", 500, 2)), 200)
    assert known(recent, 200, ("a", 500, 2)) == {"a": 2}


def test_a_restart_fills_it_from_silver() -> None:
    recent = DedupIndex()
    recent.restore(pa.table({"event_id": ["a"], "time_ms": [100], "content_hash": [7]}))
    assert known(recent, 100, ("a", 100, 7)) == {"a": 7}


@pytest.mark.parametrize("seed", range(5))
def test_it_remembers_as_a_dictionary_would(seed: int) -> None:
    chance, recent, seen, now = random.Random(seed), DedupIndex(), dict[str, tuple[int, int]](), 0
    names = [str(UUID(int=chance.getrandbits(128))) for _ in range(300)]
    # Some begin with the same 64 bits.
    names += [name[:19] + f"-0000-{number:012x}" for number, name in enumerate(names[:50])]
    for _ in range(60):
        now += chance.choice((0, 0, 5, TIDY_MS // 20))
        some = [(chance.choice(names), now + chance.randint(-90, 400), chance.randint(1, 3)) for _ in range(40)]
        expected = {one: seen[one][1] for one, *_ in some if one in seen and seen[one][0] >= now}
        assert known(recent, now, *some) == expected
        for name, at, content in some:
            if name not in seen or seen[name][0] < now:
                seen[name] = at, content
        recent.add(arrived(*some), now)


def test_ids_are_told_apart_by_all_of_their_text() -> None:
    own = "0123abcd-89ab-4cde-8f01-23456789abcd"
    texts = [own, own.upper(), own.replace("-", ""), own.replace("-", "a"), own[:-1] + "e", "x" * 36, "", "é" * 18]
    high, low = bits(pa.array(texts))
    assert len({*zip(high.tolist(), low.tolist(), strict=True)}) == len(texts)
    assert (int(high[0]) << 64 | int(low[0])) == UUID(own).int

"""A new on-time event is compared with what was accepted at or after the watermark, whenever the memory was tidied."""

import pyarrow as pa

from streaming.dedup_index import TIDY_MS, Arrival, DedupIndex


def test_memory_knows_what_was_added_and_forgets_what_is_behind_the_watermark() -> None:
    recent = DedupIndex()
    recent.add([Arrival("a", 100, 1), Arrival("b", 200, 2)], None)
    assert recent.known([Arrival("a", 100, 9), Arrival("x", 100, 1)], 0) == {"a": 1}
    recent.add([Arrival("c", 300, 3)], 200)
    assert recent.known([Arrival(name, 0, 0) for name in "abc"], 200) == {"b": 2, "c": 3}


def test_what_is_tidied_away_is_what_was_forgotten_before() -> None:
    recent = DedupIndex()
    recent.add([Arrival("behind", TIDY_MS - 1, 1), Arrival("on it", TIDY_MS, 2)], TIDY_MS)
    assert set(recent._seen) == {"on it"}


def test_the_first_arrival_stays_what_is_remembered() -> None:
    recent = DedupIndex()
    recent.add([Arrival("a", 100, 1)], None)
    recent.add([Arrival("a", 100, 2)], None)
    assert recent.known([Arrival("a", 100, 2)], 0) == {"a": 1}


def test_a_forgotten_id_that_comes_again_is_remembered_anew() -> None:
    recent = DedupIndex()
    recent.add([Arrival("a", 100, 1)], 0)
    recent.add([Arrival("a", 500, 2)], 200)
    assert recent.known([Arrival("a", 500, 2)], 200) == {"a": 2}


def test_a_restart_fills_it_from_silver() -> None:
    recent = DedupIndex()
    recent.restore(pa.table({"event_id": ["a"], "time_ms": [100], "content_hash": [7]}))
    assert recent.known([Arrival("a", 100, 7)], 100) == {"a": 7}

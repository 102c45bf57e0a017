"""Every kind of bad record, in one batch with odd but valid neighbours: each lands where its name says."""

import json
import time
from itertools import zip_longest

import pytest
from accounting import unaccounted, where
from corpus import Record, neighbours, poison
from running import Platform

pytestmark = pytest.mark.platform


@pytest.fixture(scope="module")
def before(platform: Platform) -> int:
    """The stream's process before any of it comes."""
    return int(platform.status("stream")["pid"])


def test_poison_lands_where_its_name_says_and_its_neighbours_arrive(platform: Platform, before: int) -> None:
    now_ms = time.time_ns() // 1_000_000
    bad, good = poison(now_ms), neighbours(now_ms)
    mixed = [record for pair in zip_longest(bad, good * (len(bad) // len(good) + 1)) for record in pair if record]
    records = []
    seen: set[str] = set()
    for record in mixed:
        kind = "duplicate" if record.name in seen else "neighbour"
        if record.reasons:
            kind = f"poison:{record.name}={'+'.join(sorted(record.reasons))}"
        seen.add(record.name)
        event_id = None if record.reasons else json.loads(record.value or b"{}")["event_id"]
        records.append((record.topic, record.key, record.value, event_id, kind))
    topic, key, value, event_id, _ = next(
        one for one in records if one[4] == "neighbour" and b'"customer_id"' in (one[2] or b"")
    )
    other = json.dumps(json.loads(value or b"") | {"customer_id": "c-8"}).encode()
    records.append((topic, key, other, event_id, "poison:other content=conflict"))
    assert platform.send(records) == len(records)
    assert platform.send_packed([packed(next(one for one in bad if one.name == "oversize"))]) == 1
    platform.wait_drained()
    assert unaccounted(platform) == []
    silver = {where(row) for row in platform.rows("silver/events", "topic", "partition", "offset")}
    kinds = {(entry.topic, entry.partition, entry.offset): entry.kind or "" for entry in platform.sent()}
    batches = {
        where(row): row["batch_id"]
        for row in platform.rows("bronze/events", "topic", "partition", "offset", "batch_id")
    }
    poisoned = {kind for *_, kind in records if kind.startswith("poison:")}
    assert poisoned
    # Where one ends and the next begins is the machine's: a record may be alone in its micro-batch, but few are.
    shared = {batches[at] for at, kind in kinds.items() if kind in poisoned}
    of_them = {at for at, kind in kinds.items() if kind == "neighbour" and batches[at] in shared}
    assert len(of_them) > len(good) / 2
    assert of_them <= silver


def packed(one: Record) -> tuple[str, bytes | None, bytes | None, str | None, str]:
    """A record that takes a few kB of the log, and 8 MB when it is read."""
    return one.topic, one.key, (one.value or b"") + b" " * (8 << 20), None, "poison:packed=oversize"


def test_the_stream_is_still_the_same_process(platform: Platform, before: int) -> None:
    assert platform.status("stream")["pid"] == before, "the stream has failed and was started again"

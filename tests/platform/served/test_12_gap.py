"""Kafka loses what neither layer has read: both refuse, a person accepts, and the loss is a named row, exact to the offset.

The last of all tests: it leaves the platform with a gap, so nothing that was sent need be in the tables any more.
"""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, time, timedelta

import pytest
from accounting import At, where
from confluent_kafka import TopicPartition
from confluent_kafka.admin import AdminClient
from conserved import disagreeing
from running import Platform
from traffic import paid, placed

from infra.failures import PERMANENT_EXIT
from infra.services.program import Name

pytestmark = pytest.mark.platform

TOPIC, PARTITION = "payments", 0
# A day that no earlier test has settled.
DAY = datetime.now(UTC).date() - timedelta(days=8)
NOON = datetime.combine(DAY, time(12), UTC)
ORDERS = 24
"""With the payment of each: enough keys for several records in every partition."""


@pytest.fixture(scope="module")
def lost(platform: Platform) -> Iterator[range]:
    """The stream is stopped; payments come; all of the partition's but the last are removed. The offsets removed."""
    platform.wait_drained()
    platform.run("batch", "archive", "--date", str(DAY))
    start = platform.ends()[TOPIC, PARTITION]
    if platform.supervisor().processes()[Name.STREAM].state.is_up:
        platform.supervisor().stop("stream", wait=True)
    times = [NOON + timedelta(minutes=number) for number in range(ORDERS)]
    platform.send([placed(f"gap {at}", at) for at in times])
    platform.send([paid(f"gap {at}", at + timedelta(seconds=30)) for at in times])
    end = platform.ends()[TOPIC, PARTITION] - 1
    assert end - start >= 2, "too few payments in the partition"
    admin = AdminClient(platform.kafka)
    for removed in admin.delete_records([TopicPartition(TOPIC, PARTITION, end)]).values():
        assert removed.result(timeout=30).low_watermark == end
    yield range(start, end)
    platform.supervisor().begin("stream")


def words(lost: range) -> str:
    return f"{TOPIC}-{PARTITION} [{lost.start}, {lost.stop}) ({len(lost)} records)"


def test_a_night_refuses_and_settles_nothing(platform: Platform, lost: range) -> None:
    settlements = platform.table("reconciliation/settlements").version()
    archived = platform.table("archive/events").version()
    night = platform.run("batch", "night", "--date", str(DAY), check=False)
    assert night.returncode == PERMANENT_EXIT
    assert f"{words(lost)}: removed by retention before a night read them" in night.stderr
    assert 'daybreak gaps --accept --note "why"' in night.stderr
    assert platform.table("reconciliation/settlements").version() == settlements
    assert platform.table("archive/events").version() == archived


def test_the_stream_refuses_and_so_does_a_plain_rebuild(platform: Platform, lost: range) -> None:
    for command in (["streaming"], ["streaming", "rebuild"]):
        refused = platform.run(*command, check=False)
        assert refused.returncode == PERMANENT_EXIT, refused.stderr
        assert f"{words(lost)}: removed by retention before the stream read them" in refused.stderr
        assert "python -m streaming rebuild --accept-gap" in refused.stderr
    assert platform.rows("bronze/gaps") == []


def test_a_gap_is_not_accepted_without_a_reason(platform: Platform, lost: range) -> None:
    refused = platform.run("daybreak", "gaps", "--accept", check=False)
    assert refused.returncode == PERMANENT_EXIT
    assert "--note" in refused.stderr
    assert platform.rows("archive/gaps") == []


def test_what_is_accepted_is_exactly_what_was_lost(platform: Platform, lost: range) -> None:
    platform.run("daybreak", "gaps", "--accept", "--note", "a failpoint", "--by", "ada")
    (row,) = platform.rows("archive/gaps")
    assert (row["topic"], row["partition"]) == (TOPIC, PARTITION)
    assert (row["from"], row["to"]) == (lost.start, lost.stop)
    assert (row["cause"], row["note"], row["accepted_by"]) == ("retention", "a failpoint", "ada")
    assert row["from_day"] <= row["to_day"] == row["accepted_at"].date()
    again = platform.run("batch", "accept-gaps", "--note", "again", "--by", "ada", check=False)
    assert again.returncode == PERMANENT_EXIT
    assert "no gap to accept" in again.stderr
    assert len(platform.rows("archive/gaps")) == 1


def test_the_stream_goes_on_behind_the_gap(platform: Platform, lost: range) -> None:
    platform.run("streaming", "rebuild", "--accept-gap")
    # Before it has read anything it can be rebuilt again, and the gap is still one.
    platform.run("streaming", "rebuild")
    (row,) = platform.rows("bronze/gaps")
    assert (row["topic"], row["partition"], row["from"], row["to"]) == (TOPIC, PARTITION, lost.start, lost.stop)
    platform.supervisor().begin("stream")
    platform.wait_drained()


def test_the_night_settles_and_everything_else_is_there_once(platform: Platform, lost: range) -> None:
    platform.run("batch", "night", "--date", str(DAY))
    assert DAY in {row["day"] for row in platform.rows("reconciliation/settlements", "day")}
    gone: set[At] = {(TOPIC, PARTITION, offset) for offset in lost}
    sent = {(entry.topic, entry.partition, entry.offset) for entry in platform.sent()}
    assert gone < sent
    for table in ("archive/events", "bronze/events"):
        found = [where(row) for row in platform.rows(table, "topic", "partition", "offset")]
        assert len(found) == len(set(found))
        assert set(found) == sent - gone, table


def test_conservation_adds_up_around_the_gap(platform: Platform, lost: range) -> None:
    assert disagreeing(platform, {(TOPIC, PARTITION, offset) for offset in lost}) == []
    rows = platform.rows("reconciliation/conservation", "topic", "partition", "gaps")
    gaps = {(row["topic"], row["partition"], row["gaps"]) for row in rows if row["gaps"]}
    assert gaps == {(TOPIC, PARTITION, len(lost))}


def test_the_gap_is_shown(platform: Platform, lost: range) -> None:
    listed = [json.loads(line) for line in platform.run("daybreak", "gaps", "--json").stdout.splitlines()]
    ranges = {(gap["by"], gap["start"], gap["end"]) for gap in listed}
    assert ranges == {(by, lost.start, lost.stop) for by in ("archive", "stream")}
    # The records came today, whatever day they were about.
    today = str(platform.rows("archive/gaps")[0]["to_day"])
    told = platform.run("daybreak", "reconciliation", "--from", str(DAY), "--to", today, check=False)
    assert f"gap: {len(lost)} records of {TOPIC}-{PARTITION}" in told.stdout
    quiet = platform.run("daybreak", "reconciliation", "--from", str(DAY), "--to", str(DAY))
    assert "gap:" not in quiet.stdout

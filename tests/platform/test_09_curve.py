"""The curve against the stream itself: what it did, and what it does with the delay that the curve recommends."""

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from itertools import groupby
from typing import Any

import pytest
from accounting import At, where
from running import VIEWS, Platform, of_group, until

from batch.report.curves import delay_for
from infra.lake.s3 import client
from infra.services.store import complete
from streaming import views

pytestmark = pytest.mark.platform

DAY = datetime.now(UTC).date() - timedelta(days=1)
"""The shop's day, of the earlier tests."""
INPUTS = {name: views.VIEWS[name].inputs for name in VIEWS}
SHARE = Fraction(99, 100)
"""Enough events are left behind the watermark to see that they are the predicted ones."""
RECORDS_PER_BATCH = 1_250
REPLAY_SECONDS = 1200


@dataclass(frozen=True)
class Log:
    """The valid records, in order of arrival: place in the log -> event time in ms; and the day's events among them."""

    valid: dict[At, int]
    day: frozenset[At]


@pytest.fixture(scope="module")
def log(platform: Platform) -> Log:
    """The day settled and its curve drawn, and what the log held then, from silver and quarantine."""
    platform.wait_drained()
    platform.run("batch", "night", "--curve", "--date", str(DAY))
    events = platform.rows("silver/events", "topic", "partition", "offset", "arrival", "event_time", "day")
    valid = [(row["arrival"], where(row), _ms(row["event_time"])) for row in events]
    # A conflict is no event, but valid: it moves the watermark.
    refused = platform.rows("silver/quarantine", "topic", "partition", "offset", "arrival", "value", "reasons")
    valid += [
        (row["arrival"], where(row), json.loads(row["value"])["event_time"])
        for row in refused
        if row["reasons"] == ["conflict"]
    ]
    return Log({at: ms for _, at, ms in sorted(valid)}, frozenset(where(row) for row in events if row["day"] == DAY))


def _ms(time: datetime) -> int:
    return round(time.timestamp() * 1000)


def seconds(frontier: int | None, event_ms: int) -> int:
    """The wait, in whole seconds."""
    return 0 if frontier is None else max(-((event_ms - frontier) // 1000), 0)


def in_order(log: Log) -> dict[At, int | None]:
    """The largest event time that arrived before each record."""
    frontiers: dict[At, int | None] = {}
    largest: int | None = None
    for at, event_ms in log.valid.items():
        frontiers[at] = largest
        largest = event_ms if largest is None else max(largest, event_ms)
    return frontiers


def in_batches(log: Log, progress: list[dict[str, Any]]) -> dict[At, int | None]:
    """The aligned event time of the micro-batches before each record's, by the offsets that progress has.

    It is the largest event time so far, unless a backlog holds it back: never later than that, and never going back.
    """
    of_partition: dict[tuple[str, int], list[tuple[int, int]]] = {}
    for (topic, partition, offset), event_ms in log.valid.items():
        of_partition.setdefault((topic, partition), []).append((offset, event_ms))
    frontiers: dict[At, int | None] = {}
    largest: int | None = None
    read: int | None = None
    for row in sorted(progress, key=lambda row: (row["generation"], row["batch_id"])):
        times = []
        for part in row["offsets"]:
            for offset, event_ms in of_partition.get((part["topic"], part["partition"]), ()):
                if part["from"] <= offset < part["to"]:
                    frontiers[part["topic"], part["partition"], offset] = largest
                    times.append(event_ms)
        read = max((read, *times) if read is not None else times, default=None)
        if row["aligned_event_time"] is not None:
            aligned = _ms(row["aligned_event_time"])
            assert read is not None
            assert aligned <= read
            assert largest is None or largest <= aligned
            largest = aligned
    assert largest == read, "all is read to its end"
    return frontiers


def stored(platform: Platform, basis: str) -> dict[str, Counter[int]]:
    """The night's waits of the day, by view."""
    rows = [row for row in platform.rows("reconciliation/lateness") if (row["day"], row["basis"]) == (DAY, basis)]
    by_view = groupby(sorted(rows, key=lambda row: row["view"]), key=lambda row: row["view"])
    return {view: Counter({row["required_delay_seconds"]: row["events"] for row in own}) for view, own in by_view}


def counted(log: Log, frontiers: dict[At, int | None]) -> dict[str, Counter[int]]:
    """The same from the log."""
    return {
        view: Counter(seconds(frontiers[at], log.valid[at]) for at in log.day if at[0] in topics)
        for view, topics in INPUTS.items()
    }


def test_the_waits_are_those_of_the_log_in_order_of_arrival(platform: Platform, log: Log) -> None:
    assert len(log.day) > 5_000
    assert stored(platform, "log") == counted(log, in_order(log))


def test_at_the_delay_in_force_the_curve_says_what_the_stream_did(platform: Platform, log: Log) -> None:
    waits = stored(platform, "stream")
    delay = platform.settings.watermark_delay_seconds
    silver = [row for row in platform.rows("silver/events", "topic", "day", "late_by_ms") if row["day"] == DAY]
    for view, topics in INPUTS.items():
        own = [row["late_by_ms"] for row in silver if row["topic"] in topics]
        assert waits[view].total() == len(own)
        assert sum(number for wait, number in waits[view].items() if wait <= delay) == own.count(0)
        assert 0 < own.count(0) < len(own)


def test_the_curve_is_shown_with_the_setting_and_the_night(platform: Platform, log: Log) -> None:
    said = platform.run("daybreak", "curve", "--view", VIEWS[0]).stdout
    marked = [line for line in said.splitlines() if "in force" in line]
    assert [line.split(",")[0].strip() for line in marked] == ["10 min"]
    assert "the night" in said
    assert "99.99 % need" in said
    assert VIEWS[1] not in said
    unknown = platform.run("daybreak", "curve", "--view", "none", check=False)
    assert unknown.returncode != 0
    assert all(view in unknown.stderr for view in VIEWS)


def test_drawing_it_again_changes_nothing(platform: Platform, log: Log) -> None:
    tables = ("reconciliation/lateness", "reconciliation/curve")
    before = [platform.table(name).version() for name in tables]
    platform.run("batch", "curve", "--date", str(DAY))
    assert [platform.table(name).version() for name in tables] == before


@pytest.fixture(scope="module")
def recommended(platform: Platform, log: Log) -> int:
    """The smallest delay in seconds that covers SHARE of the day's orders and payments."""
    return delay_for(stored(platform, "log")[VIEWS[1]], SHARE)


@pytest.fixture(scope="module")
def replay(platform: Platform, recommended: int) -> Platform:
    """The whole log read again, with the recommended delay, into a bucket of its own.

    The stream is stopped for it, and stays so: this file is the last.
    """
    s = platform.settings.model_copy(update={"bucket": "replay"})
    env = platform.env | {
        "DAYBREAK_BUCKET": s.bucket,
        "DAYBREAK_CHECKPOINTS": f"file://{s.home}/checkpoints-replay",
        "DAYBREAK_WATERMARK_DELAY_SECONDS": str(recommended),
        "DAYBREAK_MAX_OFFSETS_PER_TRIGGER": str(RECORDS_PER_BATCH),
        "DAYBREAK_STREAM_UI_PORT": str(s.port_base + 10),
    }
    again = Platform(s, env, source=platform.source)
    complete(s)
    # Two streams of one home would take turns in telling `daybreak status` how they are.
    platform.supervisor().stop("stream", wait=True)
    _read_everything(again)
    return again


def _read_everything(again: Platform) -> None:
    file = again.settings.home / "logs" / "replay.log"
    with file.open("w") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "streaming"],
            cwd=again.source, env=again.env, stdout=output, stderr=output, start_new_session=True,
        )  # fmt: skip

    def tables() -> bool:
        assert process.poll() is None, file.read_text()[-3000:]
        return any(client(again.settings).list_objects(again.settings.bucket, prefix="speed/progress/_delta_log/"))

    def everything() -> bool:
        return tables() and again._read_to(again.ends())

    try:
        until("the replay has its tables", tables, REPLAY_SECONDS)
        until("the replay has read everything", everything, REPLAY_SECONDS)
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=600) == 0, file.read_text()[-3000:]
        until("nothing of the replay runs", lambda: not of_group(process.pid), 60)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def test_a_replay_with_the_recommended_delay_is_as_complete_as_predicted(
    replay: Platform, log: Log, recommended: int
) -> None:
    progress = replay.rows("speed/progress", "generation", "batch_id", "offsets", "aligned_event_time")
    assert len(progress) > 5
    as_read, arrived = in_batches(log, progress), in_order(log)
    day = {at for at in log.day if at[0] in INPUTS[VIEWS[1]]}
    in_time = {at for at in day if seconds(arrived[at], log.valid[at]) <= recommended}
    assert len(in_time) >= SHARE * len(day)

    columns = ("topic", "partition", "offset", "day", "late_by_ms")
    rows = [row for row in replay.rows("silver/events", *columns) if row["day"] == DAY]
    assert {where(row) for row in rows} == log.day
    silver = {where(row): row["late_by_ms"] for row in rows if where(row) in day}
    on_time = {at for at, late_by_ms in silver.items() if late_by_ms == 0}
    # To the event, what the curve's arithmetic makes of the replay's own micro-batches.
    assert on_time == {at for at in day if seconds(as_read[at], log.valid[at]) <= recommended}
    # And never less than what order of arrival promises, but for events read behind some that arrived after them: a
    # stream that catches up reads partitions in proportion.
    overtaken = {at for at in in_time if (as_read[at] or 0) > (arrived[at] or 0)}
    assert len(on_time) >= len(in_time) - len(overtaken)
    assert in_time - overtaken <= on_time

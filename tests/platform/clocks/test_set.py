"""Clocks are set ahead and back under broker, stream and night: nothing is lost or late, leases hold, and somebody is told.

Data flow: a library that makes a clock wrong -> broker; stream, night and commands -> ledger, silver, speed, truth compared
Run: pytest -m soak tests/platform/clocks
"""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from accounting import unaccounted, where
from running import Platform, until
from traffic import paid, placed
from truth_check import misspoken, untrue

pytestmark = [pytest.mark.platform, pytest.mark.soak, pytest.mark.timeout(3600)]

MINUTES = timedelta(minutes=10)
"""Twice what an event may be ahead; the store, whose clock is right, refuses who is wrong by more than a quarter of an hour."""
NONE = timedelta()
Set = Callable[[str, timedelta], None]
DAY = datetime.now(UTC).date() - timedelta(days=2)
SOON_SECONDS = 300
"""Less than the clock is set back by: a stream that waits for the old time would come too late."""


def now_sent(platform: Platform, name: str, at: datetime | None = None) -> datetime:
    """An order and its payment of right now."""
    at = at or datetime.now(UTC)
    platform.send([placed(name, at), paid(name, at)])
    return at


def problems(platform: Platform) -> dict[str, str]:
    said = platform.run("daybreak", "status", "--problems", "--json", check=False)
    return {one["id"]: one["what"] for one in json.loads(said.stdout)}


def late(platform: Platform) -> list[str]:
    return [row["event_id"] for row in platform.rows("silver/events", "event_id", "late_by_ms") if row["late_by_ms"]]


def test_the_brokers_clock_ahead_poisons_no_watermark(platform: Platform, set_clock: Set) -> None:
    now_sent(platform, "before")
    platform.wait_drained(SOON_SECONDS)
    set_clock("broker", MINUTES)
    # Beyond what may be ahead of this machine, and not of its arrival.
    now_sent(platform, "ahead", datetime.now(UTC) + MINUTES - timedelta(minutes=1))
    platform.wait_drained(SOON_SECONDS)
    assert "ahead of this machine's clock" in problems(platform)["clock.ahead/stream"]
    now_sent(platform, "beside")
    platform.wait_drained(SOON_SECONDS)
    set_clock("broker", NONE)
    now_sent(platform, "behind")
    platform.wait_drained(SOON_SECONDS)
    assert late(platform) == []
    assert unaccounted(platform) == []


def test_the_brokers_clock_back_loses_nothing(platform: Platform, set_clock: Set) -> None:
    """What is then ahead of its arrival is in quarantine, with its bytes, and says why."""
    set_clock("broker", -MINUTES)
    now = datetime.now(UTC)
    platform.send([placed(f"back {n}", now, kind="poison:back=future") for n in range(20)])
    platform.send([placed(f"fits {n}", now - MINUTES) for n in range(20)])
    platform.wait_drained(SOON_SECONDS)
    set_clock("broker", NONE)
    now_sent(platform, "right again")
    platform.wait_drained(SOON_SECONDS)
    assert unaccounted(platform) == []
    arrivals = {
        where(row): row["arrival"] for row in platform.rows("bronze/events", "topic", "partition", "offset", "arrival")
    }
    assert any(
        arrivals[at] > arrivals[at[0], at[1], at[2] + 1] for at in arrivals if (at[0], at[1], at[2] + 1) in arrivals
    )


def test_the_streams_clock_ahead_and_back_changes_no_answer(platform: Platform, set_clock: Set) -> None:
    minute = now_sent(platform, "one of a minute")
    platform.wait_drained(SOON_SECONDS)
    set_clock("rest", MINUTES)
    now_sent(platform, "two", minute)
    platform.wait_drained(SOON_SECONDS)
    # A start with the wrong clock, so that all that it keeps is by this one.
    platform.kill("stream")
    now_sent(platform, "three", minute)
    platform.wait_drained(SOON_SECONDS)
    set_clock("rest", NONE)
    now_sent(platform, "four", minute)
    platform.wait_drained(SOON_SECONDS)
    set_clock("rest", -MINUTES)
    now_sent(platform, "five", minute)
    platform.wait_drained(SOON_SECONDS)
    set_clock("rest", NONE)
    now_sent(platform, "six", minute)
    platform.wait_drained(SOON_SECONDS)
    assert unaccounted(platform) == []
    # The newest answer of that minute has all six.
    assert misspoken(platform) == []
    log = "".join(file.read_text(errors="replace") for file in (platform.settings.home / "logs").glob("stream.log*"))
    assert log.count("this machine's clock was set back by") == 2


def test_a_second_writer_is_refused_whatever_its_clock_says(platform: Platform, set_clock: Set) -> None:
    for wrong in (MINUTES, -MINUTES):
        set_clock("rest", wrong)
        said = platform.begin("streaming").communicate(timeout=300)[1]
        assert "another process holds the lease" in said
    set_clock("rest", NONE)
    platform.wait_healthy("stream")


def test_nights_under_clocks_that_move_settle_the_truth(platform: Platform, set_clock: Set) -> None:
    noon = datetime(DAY.year, DAY.month, DAY.day, 12, tzinfo=UTC)
    platform.send([placed(f"clocks {n}", noon + timedelta(minutes=n)) for n in range(20)])
    platform.wait_drained()
    night = platform.begin("batch", "night", "--date", str(DAY))
    try:
        for wrong in (MINUTES, -MINUTES, NONE):
            until("it writes or has ended", lambda: night.poll() is not None or platform.exists("archive/events"), 300)
            set_clock("rest", wrong)
    finally:
        output, errors = night.communicate(timeout=1800)
        set_clock("rest", NONE)
    # librdkafka waits by this clock: an answer of the broker may be waited for in vain. Then the night is to be begun again.
    assert night.returncode == 0 or (night.returncode == 1 and "(temporary: retry)" in errors), output + errors[-3000:]
    platform.run("batch", "night", "--date", str(DAY))
    assert untrue(platform, [DAY]) == []
    assert unaccounted(platform, archived=True) == []
    sequences = sorted(row["sequence"] for row in platform.rows("reconciliation/corrections", "sequence"))
    assert sequences == list(range(1, len(sequences) + 1))

"""A day of which the stream hears in time, but for what is put wrong on purpose: every record, and what it must become.

Data flow: days of their own, seeded random numbers -> records in the order of their sending, and the known answers
Run: pytest tests/platform/test_00_drills.py
"""

from datetime import UTC, datetime, time, timedelta
from random import Random

from traffic import Sendable, paid, placed

MILLISECOND = timedelta(milliseconds=1)
DAY = datetime.now(UTC).date() - timedelta(days=20)
EVE = DAY - timedelta(days=1)
MIDNIGHT = datetime.combine(DAY, time(), UTC)
"""Between the two. No other test sends anything of DAY."""
WATERMARK = MIDNIGHT + timedelta(days=1)
"""Where the watermark stands when the late records come, so that two days back are just these two."""
CLOCK = WATERMARK + timedelta(minutes=10)
"""The largest event time: the default delay ahead of the watermark."""
BUSY = MIDNIGHT + timedelta(hours=20, minutes=45)
BUSY_MS = 9 * 60_000
"""Less than the delay, so that all of it is in time however it falls into micro-batches."""
ORDERS, LATE = 500, 5
"""One in a hundred is late."""
PAID_LATE = "failpoints: paid late"


def clock(at: datetime) -> Sendable:
    """An order that brings the stream's clock to a time."""
    return placed(f"failpoints: the clock at {at}", at)


def midnight(seed: int) -> list[Sendable]:
    """Twenty orders of the ten seconds on either side of midnight, each sent two to five times, the copies mixed."""
    rng = Random(seed)
    orders = [placed(f"failpoints: midnight {n}", MIDNIGHT + timedelta(seconds=n)) for n in range(-10, 10)]
    copies = [order for order in orders for _ in range(rng.randint(2, 5))]
    rng.shuffle(copies)
    sent: set[str | None] = set()
    records = []
    for topic, key, value, event_id, _ in copies:
        records.append((topic, key, value, event_id, "duplicate" if event_id in sent else "good"))
        sent.add(event_id)
    return records


def ahead() -> list[Sendable]:
    """A producer whose clock is ahead of the log's: by just more than the five minutes that are let pass, and by far."""
    now = datetime.now(UTC)
    orders = [placed(f"failpoints: ahead {by}", now + by) for by in (timedelta(minutes=6), timedelta(days=2))]
    return [(topic, key, value, event_id, "poison:ahead=future") for topic, key, value, event_id, _ in orders]


def in_time(seed: int) -> list[Sendable]:
    """The orders of nine busy minutes, and two more: one is paid at once, the other after the watermark has gone by."""
    rng = Random(seed)
    times = sorted(rng.randrange(BUSY_MS) for _ in range(ORDERS - LATE))
    orders = [placed(f"failpoints: in time {n}", BUSY + at * MILLISECOND) for n, at in enumerate(times)]
    at_once, later = BUSY + timedelta(minutes=1), BUSY + timedelta(minutes=5)
    payment = paid("failpoints: paid at once", at_once + timedelta(minutes=2))
    return [*orders, placed("failpoints: paid at once", at_once), payment, placed(PAID_LATE, later)]


def late(seed: int) -> dict[Sendable, timedelta]:
    """Late orders, and by how much: one by two days to the millisecond, the others by less."""
    rng = Random(seed)
    two_days = timedelta(days=2)
    lateness = [two_days, *(rng.randrange(1, two_days // MILLISECOND) * MILLISECOND for _ in range(LATE - 1))]
    return {placed(f"failpoints: late {n}", WATERMARK - by): by for n, by in enumerate(lateness)}


def late_payment() -> dict[Sendable, timedelta]:
    """Ten minutes after its order, and three hours behind the watermark."""
    by = timedelta(hours=3)
    return {paid(PAID_LATE, WATERMARK - by): by}

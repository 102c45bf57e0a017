"""The examples are what their names say, and the view says the same in both layers.

Data flow: examples, events -> streaming.testing -> outcomes, rows
Run: pytest tests
"""

from datetime import UTC, datetime, timedelta
from typing import Any

from streaming.testing import examples_that_lie, reasons, rows, said

NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)


def reading(minute: int, millidegrees: int, sensor: str = "s-7") -> dict[str, Any]:
    at = NOON + timedelta(minutes=minute)
    head = {"topic": "readings", "event_type": "reading_taken", "event_time": at}
    return head | {"sensor_id": sensor, "millidegrees": millidegrees}


def test_the_examples_are_what_their_names_say() -> None:
    assert examples_that_lie() == []


def test_what_is_no_json_is_rejected() -> None:
    assert reasons("readings", b"warm") == {"not_json"}


def test_an_hour_is_half_open_and_each_sensor_has_its_own() -> None:
    found = rows("sensor_hours", [reading(0, 20_000), reading(59, 22_000), reading(60, 5), reading(0, 7, "s-8")])
    hours = [(row["sensor_id"], row["hour_start"].hour, row["readings"], row["millidegrees"]) for row in found]
    assert hours == [("s-7", 12, 2, 42_000), ("s-7", 13, 1, 5), ("s-8", 12, 1, 7)]


def test_the_stream_says_what_the_night_says() -> None:
    events = [reading(7 * number, number, f"s-{number % 3}") for number in range(60)]
    assert said("sensor_hours", events) == rows("sensor_hours", events)

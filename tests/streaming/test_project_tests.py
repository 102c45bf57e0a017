"""What a project's tests hand in as records."""

import json
from datetime import UTC, datetime, timedelta, timezone

import pytest

from streaming import testing


def test_a_time_is_written_as_records_have_it() -> None:
    at = datetime(2026, 1, 31, 20, 15, 8, 250_000, tzinfo=UTC)
    there = at.astimezone(timezone(timedelta(hours=5)))
    assert json.loads(testing._text({"event_time": at, "local": there})) == {
        "event_time": 1769890508250,
        "local": 1769890508250,
    }
    assert testing._text(b"{}") == b"{}"


def test_what_no_record_can_have_is_named() -> None:
    with pytest.raises(TypeError, match="has no zone"):
        testing._text({"event_time": datetime(2026, 1, 31)})
    with pytest.raises(TypeError, match="of type set: give the record as bytes"):
        testing._text({"tags": {"a"}})

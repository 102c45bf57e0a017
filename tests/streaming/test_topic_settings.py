"""A topic's settings are looked at against its contract; what would lose records, or refuse them, is named."""

from types import SimpleNamespace
from typing import Any

import pytest

from streaming.positions import topics
from streaming.positions.topic_settings import wrong

HOUR = 3_600_000
SOUND = {
    "cleanup.policy": "delete",
    "message.timestamp.type": "LogAppendTime",
    "retention.ms": str(168 * HOUR),
    "retention.bytes": "-1",
    "max.message.bytes": "1048588",
}


@pytest.fixture(autouse=True)
def own(monkeypatch: pytest.MonkeyPatch) -> Any:
    found = SimpleNamespace(topic_retention_hours=168, kafka_bootstrap="broker:9092", embedded=lambda name: False)
    monkeypatch.setattr(topics, "settings", lambda: found)
    return found


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("cleanup.policy", "compact"),
        ("cleanup.policy", "compact,delete"),
        ("message.timestamp.type", "CreateTime"),
        ("retention.ms", str(24 * HOUR)),
        ("retention.ms", "0"),
        ("retention.bytes", "1000000000"),
        ("max.message.bytes", "10000"),
    ],
)
def test_a_setting_that_loses_records_is_named(own: Any, setting: str, value: str) -> None:
    (found,) = wrong(own, "orders", SOUND | {setting: value})
    assert found.id == f"topic.{setting}/orders"
    assert f"{setting}={value}" in found.what
    assert (
        found.mend.endswith(f"--topic orders --add-config {setting}={SOUND[setting]}") or setting == "max.message.bytes"
    )


@pytest.mark.parametrize(
    "more",
    [{}, {"retention.ms": "-1"}, {"retention.ms": str(999 * HOUR)}, {"max.message.bytes": "131072"}],
)
def test_what_keeps_records_as_long_as_they_need_is_right(own: Any, more: dict[str, str]) -> None:
    assert wrong(own, "orders", SOUND | more) == []

"""The stream's offsets as Kafka's tools see them: equal to the log's ends, exact to the record, and nobody's guide."""

import json
from typing import Any

import pytest
from accounting import unaccounted
from confluent_kafka import ConsumerGroupTopicPartitions, TopicPartition
from published import admin, in_group, wait_published
from running import Platform
from traffic import burst

from infra.kafka.places import At
from infra.services.program import Name

pytestmark = pytest.mark.platform


@pytest.fixture(scope="module", autouse=True)
def served_no_more(platform: Platform) -> None:
    """From here on nothing asks Airflow or the gateway, and while they idle they take a tenth of a core."""
    for name in (*(one for one in Name if one.startswith("airflow")), Name.GATEWAY):
        platform.supervisor().stop(name, wait=True)


def lags(platform: Platform) -> dict[At, dict[str, Any]]:
    rows = json.loads(platform.run("daybreak", "lag", "--json").stdout)
    return {(row["topic"], row["partition"]): row for row in rows}


def test_a_drained_stream_has_no_lag_and_all_the_retention_left(platform: Platform) -> None:
    platform.wait_drained()
    wait_published(platform)
    found = lags(platform)
    assert {at: row["end"] for at, row in found.items()} == platform.ends()
    assert {(row["lag"], row["lost"], row["unread_seconds"]) for row in found.values()} == {(0, 0, None)}
    hours = platform.settings.topic_retention_hours
    assert {(row["retention_hours"], row["hours_left"]) for row in found.values()} == {(hours, hours)}


def test_a_stream_that_stands_still_lags_by_what_is_sent_meanwhile(platform: Platform) -> None:
    before = in_group(platform)
    with platform.paused("stream"):
        sent = platform.send(burst(900))
        found = lags(platform)
    assert sum(row["lag"] for row in found.values()) == sent > 0
    assert {at: row["end"] - before[at] for at, row in found.items()} == {at: row["lag"] for at, row in found.items()}
    for row in (row for row in found.values() if row["lag"]):
        assert 0 <= row["unread_seconds"] < 600
        assert row["hours_left"] == pytest.approx(row["retention_hours"] - row["unread_seconds"] / 3600)
    platform.wait_drained()
    wait_published(platform)
    assert {row["lag"] for row in lags(platform).values()} == {0}
    assert sum(row["rate"] for row in lags(platform).values()) > 0


def test_neither_a_group_turned_back_nor_a_lost_commit_turns_anything_back(platform: Platform) -> None:
    platform.supervisor().stop("stream", wait=True)
    # As after a death between the last table and the checkpoint: the micro-batch is repeated, and written already.
    commits = platform.settings.home / "checkpoints" / "ingest" / "commits"
    last = max((path for path in commits.iterdir() if path.name.isdigit()), key=lambda path: int(path.name))
    for path in (last, commits / f".{last.name}.crc"):
        path.unlink(missing_ok=True)
    group, own = platform.settings.consumer_group, admin(platform)
    start = ConsumerGroupTopicPartitions(group, [TopicPartition(*at, 0) for at in platform.ends()])
    own.alter_consumer_group_offsets([start], request_timeout=30)[group].result()
    assert set(in_group(platform).values()) == {0}
    platform.supervisor().begin("stream")
    # Nothing new has come: what the group says now is what the checkpoint says.
    wait_published(platform)
    platform.send(burst(901))
    platform.wait_drained()
    wait_published(platform)
    assert unaccounted(platform) == []

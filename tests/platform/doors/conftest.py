"""A broker by itself, with a topic of each kind: nothing else of the platform is needed to try its door."""

from collections.abc import Iterator

import pytest
from confluent_kafka.admin import NewTopic  # type: ignore[attr-defined]
from kafka_tries import ANSWERS, CAPTURED, CONNECT, EVENTS, SECONDS, As, scratch
from running import Platform
from started import DOOR_PORTS, HOMES, WORKER, started

from infra.kafka_users import User
from infra.settings import ROOT, Settings


def prepare(s: Settings) -> None:
    """Make the topics, and commit a position. The client ends while its broker runs: behind it, librdkafka may wait for ever."""
    owner = As(s, User.OWNER)
    names = [EVENTS, s.alerts_topic, s.corrections_topic, s.dead_letters_topic, ANSWERS, CAPTURED, CONNECT]
    names += map(scratch, User)
    for made in owner.admin.create_topics([NewTopic(name, 1, 1) for name in names]).values():
        made.result(SECONDS)
    assert owner.does("commit the stream's position", within=180) is None


@pytest.fixture(scope="session")
def door(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Platform]:
    """The broker; its topics have no record, and the stream's group a position."""
    with started(HOMES / f"doors-{WORKER}", DOOR_PORTS, ROOT, only="kafka") as own:
        prepare(own.settings)
        yield own

"""Replicas that are behind, partitions that take no writes, partitions without a leader: problems until they are right again.

Data flow: Kafka's metadata, topics' `min.insync.replicas` -> Problems; sentences for `daybreak status`
Run: daybreak status --problems

It looks at a Kafka of yours as well.
"""

from collections.abc import Collection, Mapping, Sequence

from confluent_kafka import KafkaException
from confluent_kafka.admin import AdminClient, ClusterMetadata, ConfigResource, ResourceType  # type: ignore[attr-defined]

from infra.kafka import client, login
from infra.kafka.brokers import Node
from infra.kafka.replicas import Replicas, replicas
from infra.problems import Problem
from infra.settings import Settings

SECONDS = 10
NOTICE_SECONDS = 3


def look(s: Settings) -> list[Problem]:
    """Every kind of them, now. Raises TransientFailure if Kafka does not answer."""
    admin = client.admin()
    with client.answers():
        short = _short(admin.list_topics(timeout=SECONDS))
        return of(s, short, _least(admin, {one.topic for one in short}))


def of(s: Settings, short: Sequence[Replicas], least: Mapping[str, int]) -> list[Problem]:
    """The problems of partitions that lack replicas; `least`: `min.insync.replicas` of each topic."""
    offline = [one for one in short if one.is_offline]
    refusing = [one for one in short if not one.is_offline and len(one.in_sync) < least[one.topic]]
    away = sorted({broker for one in short for broker in one.behind})
    found = [
        _problem(s, f"kafka.behind/{broker}", _lacking(broker), away=[broker], rows=_names(short, broker))
        for broker in away
    ]
    if refusing:
        what = "fewer replicas than min.insync.replicas are in sync in {}: what wants all replicas is not written there"
        found.insert(0, _problem(s, "kafka.under-min-isr", what, away, [one.name for one in refusing]))
    if offline:
        what = "no broker leads {}: nobody can read there, or write"
        brokers = sorted({broker for one in offline for broker in one.everywhere})
        found.insert(0, _problem(s, "kafka.offline", what, brokers, [one.name for one in offline]))
    return found


def notices(s: Settings, node: Node) -> tuple[str, ...]:
    """The same in a sentence for `daybreak status`, told by one broker for all: the first that is there."""
    if s.kafka_brokers == 1:
        return ()
    own: client.Options = {
        "bootstrap.servers": node.address,
        "log_level": 0,
        **login.of_librdkafka(s),
        **s.kafka_client,
    }
    try:
        admin = AdminClient(own)
        there = admin.list_topics(timeout=NOTICE_SECONDS)
        short = _short(there)
        if node.number != min(there.brokers, default=0) or not short:
            return ()
        wrong = of(s, short, _least(admin, {one.topic for one in short}))
    except KafkaException:
        # What the broker does not answer, its own line says.
        return ()
    return tuple(f"Kafka: {problem.what} (daybreak status --problems)" for problem in wrong)


def _short(metadata: ClusterMetadata) -> list[Replicas]:
    return [one for one in replicas(metadata) if one.behind or one.is_offline]


def _lacking(broker: int) -> str:
    return f"broker {broker} is behind in {{}}: one death less can be endured there"


def _names(short: Sequence[Replicas], broker: int) -> list[str]:
    return [one.name for one in short if broker in one.behind]


def _problem(s: Settings, id_: str, what: str, away: Collection[int], rows: Sequence[str]) -> Problem:
    mend = f"bring broker {', '.join(map(str, away))} of your Kafka back"
    if s.embedded("kafka_bootstrap"):
        names = ["kafka" if s.kafka_brokers == 1 else f"kafka-{broker}" for broker in away]
        again = "; ".join(f"daybreak logs {name}; daybreak restart {name}" for name in names)
        mend = f"it catches up by itself while its broker runs; else {again}"
    partitions = f"{len(rows):,} partition{'s' * (len(rows) != 1)}"
    return Problem(id_, what.format(partitions), mend, len(rows), tuple(rows))


def _least(admin: AdminClient, topics: Collection[str]) -> dict[str, int]:
    """`min.insync.replicas` of these topics. Raises KafkaException."""
    asked = [ConfigResource(ResourceType.TOPIC, topic) for topic in sorted(topics)]
    answers = admin.describe_configs(asked, request_timeout=SECONDS) if asked else {}
    return {
        resource.name: int(answer.result(timeout=SECONDS)["min.insync.replicas"].value)
        for resource, answer in answers.items()
    }

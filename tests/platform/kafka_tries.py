"""How each try of infra/kafka/rights.py is done, as any user.

Data flow: a try, a user -> a request to the broker -> None, or the name of Kafka's refusal
Run: pytest tests/platform/doors
"""

import logging
import time
from collections.abc import Callable
from functools import partial

from confluent_kafka import Consumer, ConsumerGroupTopicPartitions, KafkaError, KafkaException, Producer, TopicPartition
from confluent_kafka.admin import (  # type: ignore[attr-defined]
    AclBinding,
    AclOperation,
    AclPermissionType,
    AdminClient,
    AlterConfigOpType,
    ConfigEntry,
    ConfigResource,
    NewPartitions,
    NewTopic,
    ResourcePatternType,
    ResourceType,
)
from kafka_wire import refusal

from infra.kafka import acls, login
from infra.kafka.client import REFUSED
from infra.kafka_users import User
from infra.settings import Settings
from infra.shop.orders.order import ANSWERS

SECONDS = 20
EVENTS, CAPTURED, CONNECT = "clicks", "shop.public.customers", "daybreak-connect-config"
STARTING = (KafkaError.NOT_COORDINATOR, KafkaError.COORDINATOR_LOAD_IN_PROGRESS, KafkaError.COORDINATOR_NOT_AVAILABLE)
"""What the broker says about groups when it has just started."""
UNSEEN = "nothing is listed"


def scratch(user: User) -> str:
    """A topic for a user to try its hand at."""
    return f"tried-by-{user}"


class As:
    """A user at a broker; `nothing` is what a try returns that is allowed."""

    def __init__(self, s: Settings, user: User) -> None:
        self.s, self.user = s, user
        self.options = {"bootstrap.servers": s.kafka_bootstrap, "log_level": 0, **login.of_librdkafka(s, user)}
        self.admin = AdminClient(self.options)

    def does(self, what: str, within: float = SECONDS) -> str | None:
        """Try it: None, or the name of the refusal. Raises KafkaException for any other trouble, TimeoutError for no answer.

        `within` (s): how long a broker may start. The first who asks for a group waits for fifty partitions of offsets.
        """
        give_up = time.monotonic() + within
        while True:
            try:
                return TRIES[what](self)
            except KafkaException as failure:
                error: KafkaError = failure.args[0]
                if error.code() in REFUSED:
                    return error.name()
                # What another user has deleted before was this one's to delete.
                if error.code() == KafkaError.GROUP_ID_NOT_FOUND:
                    return None
                if error.code() not in STARTING or time.monotonic() > give_up:
                    raise
            except TimeoutError:
                if time.monotonic() > give_up:
                    raise
            time.sleep(0.1)

    def login(self, port: int) -> str | None:
        return refusal(port, self.user, login.password(self.s, self.user))

    def finds(self) -> str | None:
        return None if EVENTS in self.admin.list_topics(timeout=SECONDS).topics else UNSEEN

    def reads(self, topic: str) -> None:
        own = {"group.id": f"reader-{self.user}", "enable.auto.commit": "false", "enable.partition.eof": "true"}
        consumer = Consumer(self.options | own)
        try:
            self._sees(consumer, topic)
            consumer.assign([TopicPartition(topic, 0, 0)])
            while (message := consumer.poll(SECONDS)) is not None:
                error = message.error()
                # It may have no group, which is another try's question.
                if error is None or error.code() == KafkaError._PARTITION_EOF:
                    return
                if error.code() != KafkaError.GROUP_AUTHORIZATION_FAILED:
                    raise KafkaException(error)
            raise KafkaException(KafkaError(KafkaError._TIMED_OUT))
        finally:
            consumer.close()

    def writes(self, topic: str) -> None:
        errors: list[KafkaError] = []
        producer = Producer(self.options | {"acks": "all", "message.timeout.ms": "10000"})
        producer.produce(topic, b"{}", b"k", on_delivery=lambda error, _: errors.append(error) if error else None)
        producer.flush(SECONDS)
        if errors:
            raise KafkaException(errors[0])

    def begins(self, transaction: str) -> None:
        # What is refused here it calls fatal, and says on the terminal.
        quiet = logging.getLogger("tries")
        Producer(self.options | {"transactional.id": transaction}, logger=quiet).init_transactions(SECONDS)

    def commits(self, group: str) -> None:
        request = ConsumerGroupTopicPartitions(group, [TopicPartition(EVENTS, 0, 1)])
        for written in self.admin.alter_consumer_group_offsets([request])[group].result(SECONDS).topic_partitions:
            if written.error:
                raise KafkaException(written.error)

    def makes(self) -> None:
        name = f"made-by-{self.user}"
        self.admin.create_topics([NewTopic(name, 1, 1)])[name].result(SECONDS)

    def sees_settings(self) -> None:
        of = ConfigResource(ResourceType.TOPIC, EVENTS)
        self.admin.describe_configs([of])[of].result(SECONDS)

    def changes(self, kind: ResourceType, name: str, setting: str, value: str) -> None:
        entry = ConfigEntry(setting, value, incremental_operation=AlterConfigOpType.SET)
        of = ConfigResource(kind, name, incremental_configs=[entry])
        self.admin.incremental_alter_configs([of])[of].result(SECONDS)

    def adds_partitions(self) -> None:
        name = scratch(self.user)
        self.admin.create_partitions([NewPartitions(name, 2)])[name].result(SECONDS)

    def deletes_records(self) -> None:
        self._sees(self.admin, scratch(self.user))
        at = TopicPartition(scratch(self.user), 0, 0)
        self.admin.delete_records([at])[at].result(SECONDS)

    def deletes(self) -> None:
        name = scratch(self.user)
        self.admin.delete_topics([name])[name].result(SECONDS)

    def deletes_group(self) -> None:
        name = self.s.consumer_group
        self.admin.delete_consumer_groups([name])[name].result(SECONDS)

    def sees_acls(self) -> str | None:
        # Who may not see them is told of none, and nothing else: librdkafka keeps the refusal to itself.
        return None if self.admin.describe_acls(acls.EVERY).result(SECONDS) else UNSEEN

    def gives(self) -> None:
        mine = ("*", ResourcePatternType.LITERAL, f"User:friend-of-{self.user}", "*")
        one = AclBinding(ResourceType.TOPIC, *mine, AclOperation.READ, AclPermissionType.ALLOW)
        self.admin.create_acls([one])[one].result(SECONDS)

    def _sees(self, client: Consumer | AdminClient, topic: str) -> None:
        """A client hears only after a while, and not in these words, that it may not see a topic."""
        if error := client.list_topics(topic, timeout=SECONDS).topics[topic].error:
            raise KafkaException(error)


def _topic(do: Callable[[As, str], str | None], name: Callable[[Settings], str]) -> Callable[[As], str | None]:
    return lambda own: do(own, name(own.s))


def _of(what: str) -> Callable[[Settings], str]:
    return lambda s: what


TRIES: dict[str, Callable[[As], str | None]] = {
    "log in": lambda own: own.login(own.s.kafka_port),
    "log in at the controller's port": lambda own: own.login(own.s.kafka_controller_port),
    "find a topic of events": As.finds,
    "read a topic of events": _topic(As.reads, _of(EVENTS)),
    "write a topic of events": _topic(As.writes, _of(EVENTS)),
    "write a topic that no contract names": lambda own: own.writes(scratch(own.user)),
    "read alerts": _topic(As.reads, lambda s: s.alerts_topic),
    "write alerts": _topic(As.writes, lambda s: s.alerts_topic),
    "write corrections": _topic(As.writes, lambda s: s.corrections_topic),
    "write dead letters": _topic(As.writes, lambda s: s.dead_letters_topic),
    "write answers to commands": _topic(As.writes, _of(ANSWERS)),
    "write changes of the shop's database": _topic(As.writes, _of(CAPTURED)),
    "write Kafka Connect's configuration": _topic(As.writes, _of(CONNECT)),
    "be the writer of alerts (a transaction)": _topic(As.begins, lambda s: f"daybreak-alerts-{s.bucket}"),
    "be the writer of corrections (a transaction)": _topic(As.begins, lambda s: f"daybreak-corrections-{s.bucket}"),
    "commit the stream's position": _topic(As.commits, lambda s: s.consumer_group),
    "commit a reader's position": _topic(As.commits, _of("reader-of-tests")),
    "make a topic": As.makes,
    "see a topic's settings": As.sees_settings,
    "change a topic's settings": lambda own: own.changes(
        ResourceType.TOPIC, scratch(own.user), "retention.ms", "1000000"
    ),
    "add partitions to a topic": As.adds_partitions,
    "delete a topic's records": As.deletes_records,
    "delete a topic": As.deletes,
    "delete the stream's position": As.deletes_group,
    "see who may do what": As.sees_acls,
    "change who may do what": As.gives,
    "change a broker's settings": partial(
        As.changes, kind=ResourceType.BROKER, name="1", setting="log.cleaner.threads", value="1"
    ),
}

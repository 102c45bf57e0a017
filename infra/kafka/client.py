"""Kafka clients, with one configuration for all of them.

Data flow: Settings -> admin client, consumer
Run: daybreak lag
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from confluent_kafka import Consumer, KafkaError, KafkaException, Producer
from confluent_kafka.admin import AdminClient

from infra.failures import PermanentFailure, TransientFailure
from infra.kafka import login
from infra.settings import load, settings
from infra.tls.trust import refuse_without_authority

Options = dict[str, str | int | float | bool]


REFRESH_MS = 5_000
"""How often a client asks which brokers there are, and which of them decides. With librdkafka's five minutes one that was told of
a broker at the moment of its death waits for that broker, whatever it wants of the cluster."""
REFUSED = (
    KafkaError._AUTHENTICATION,
    KafkaError.SASL_AUTHENTICATION_FAILED,
    KafkaError.TOPIC_AUTHORIZATION_FAILED,
    KafkaError.GROUP_AUTHORIZATION_FAILED,
    KafkaError.CLUSTER_AUTHORIZATION_FAILED,
    KafkaError.TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
)
"""What Kafka answers to a user that it does not know, or that has no right to what it asks for."""
AWAY = "Kafka at {} does not answer: {} (see `daybreak status`)"


def options() -> Options:
    """The configuration of every client; `DAYBREAK_KAFKA_CLIENT` overrides it.

    Raises PermanentFailure if TLS is on and nothing is there to trust: librdkafka makes no client then.
    """
    refuse_without_authority(settings())
    s, own = settings(), {"log_level": 0, "topic.metadata.refresh.interval.ms": REFRESH_MS}
    return {"bootstrap.servers": s.kafka_bootstrap, **own, **login.of_librdkafka(s), **s.kafka_client}


def admin() -> AdminClient:
    """A client that reads and changes topics, configurations and offsets of groups."""
    return AdminClient(options())


def log_in_afresh(refused: Producer) -> None:
    """A client that was refused says from now on what the settings say by now: a rotation may have changed its password."""
    if now := login.of_librdkafka(load()):
        refused.set_sasl_credentials(now["sasl.username"], now["sasl.password"])


@contextmanager
def consumer(group: str, more: Mapping[str, str | int | float | bool] | None = None) -> Iterator[Consumer]:
    """A consumer that joins no group and commits nothing: it assigns its partitions itself.

    Kafka requires a `group` all the same; it appears in the broker's logs. `more` are options of this consumer alone.
    Raises TransientFailure if Kafka does not answer.
    """
    own: Options = {"group.id": f"daybreak-{group}", "enable.auto.commit": "false", **(more or {})}
    made = Consumer(options() | own)
    with answers():
        try:
            yield made
        finally:
            made.close()


@contextmanager
def answers() -> Iterator[None]:
    """Turn a KafkaException, or an answer that does not come in time, into a TransientFailure that names the broker, because a
    retry may succeed; what is refused stays so, and is a PermanentFailure."""
    try:
        yield
    except KafkaException as failure:
        if failure.args[0].code() in REFUSED:
            raise PermanentFailure(
                f"Kafka at {settings().kafka_bootstrap} refuses this to {login.acting()}: {failure.args[0].str()} (daybreak "
                "connect kafka shows how to log in, and infra/README.md who may do what)"
            ) from failure
        raise TransientFailure(AWAY.format(settings().kafka_bootstrap, failure.args[0].str())) from failure
    except TimeoutError as late:
        raise TransientFailure(AWAY.format(settings().kafka_bootstrap, "no answer in time")) from late

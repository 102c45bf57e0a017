"""The lines with which a program of yours logs in to Kafka, and the files that they name.

Data flow: Settings, a user -> lines for kcat, Java and Python
Run: daybreak connect kafka
"""

from infra.failures import PermanentFailure
from infra.kafka.login import files, password
from infra.kafka_users import User
from infra.registry import at_kafka
from infra.settings import Settings

MAY = {
    User.OWNER: "does everything: for you and your administration",
    User.BROKER: "is the brokers among themselves: for nobody else",
    User.STREAM: "reads topics, makes them, and writes alerts: for the stream",
    User.NIGHT: "reads topics, and writes corrections: for the nightly steps",
    **{User(name): may for one in at_kafka() for name, may in one.users.items()},
    User.WEBHOOKS: "writes events: for what comes by HTTP",
    User.NOTIFY: "reads alerts and corrections, and keeps its place: for what goes out",
    User.READER: "reads every topic, and does nothing else: for people and tools",
}
SENDERS = {User.WEBHOOKS, *(User(own.sender) for own in at_kafka() if own.sender)}
"""Who writes events and reads none."""
READS = """\
# kcat, and whatever else has librdkafka
kcat -F {conf} -L
kcat -F {conf} -C -e -t TOPIC

# Kafka's own tools and Java: the names of a reader's groups begin with `reader`
kafka-topics --bootstrap-server {kafka} --command-config {properties} --list
kafka-console-consumer --bootstrap-server {kafka} --consumer.config {properties} --group reader-1 --topic TOPIC

# Python: pip install confluent-kafka
from confluent_kafka import Consumer
own = dict(line.split("=", 1) for line in open({conf!r}).read().splitlines())
consumer = Consumer(own | {{"group.id": "reader-1", "auto.offset.reset": "earliest"}})
consumer.subscribe(["TOPIC"])"""
SENDS = """\
# kcat, and whatever else has librdkafka: a line of standard input is a record, KEY:VALUE
kcat -F {conf} -P -K: -t TOPIC

# Kafka's own tools and Java
kafka-console-producer --bootstrap-server {kafka} --producer.config {properties} --property parse.key=true --topic TOPIC

# Python: pip install confluent-kafka
from confluent_kafka import Producer
own = dict(line.split("=", 1) for line in open({conf!r}).read().splitlines())
producer = Producer(own)
producer.produce("TOPIC", key="KEY", value='{{"event_id": "..."}}')
producer.flush()"""


def lines(s: Settings, user: User, show: bool = False) -> str:
    """The lines. The password itself only if it is asked for. Raises PermanentFailure if the user has none."""
    if not s.embedded("kafka_bootstrap"):
        raise PermanentFailure(
            f"the Kafka at {s.kafka_bootstrap} is yours, with users of its own: programs of ours say to it what "
            "DAYBREAK_KAFKA_CLIENT and DAYBREAK_KAFKA_SPARK say"
        )
    if not password(s, user):
        raise PermanentFailure(f"Kafka has no password of {user} yet: daybreak up makes it")
    conf, properties = files(s, user)
    return f"""\
{user} {MAY[user]}
password: {password(s, user) if show else conf}

{(SENDS if user in SENDERS else READS).format(conf=str(conf), properties=properties, kafka=s.kafka_bootstrap)}"""

"""Who may do what with Kafka: what each user is granted, and what a test tries as every user, with who may.

Data flow: grants -> Kafka's ACLs (infra/kafka/acls.py); TRIES -> a test on running brokers, a table of infra/README.md
Run: pytest tests/infra/test_kafka_rights.py tests/platform/doors

The two lists are written apart: a grant that gives too much is found by a try, and not believed. What nobody is granted is
refused; `owner` and `broker` may do everything and need no grant (infra/kafka/door.py).
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from confluent_kafka.admin import AclOperation, ResourceType  # type: ignore[attr-defined]

from infra.kafka_users import User
from infra.marked_page import made_anew
from infra.registry import at_kafka, named
from infra.rights_table import table
from infra.settings import Settings

MARKERS = "<!-- who may do what with Kafka: made by make catalog -->", "<!-- end of who may do what with Kafka -->"
READ, WRITE, CREATE, DESCRIBE = AclOperation.READ, AclOperation.WRITE, AclOperation.CREATE, AclOperation.DESCRIBE
SETTINGS = AclOperation.DESCRIBE_CONFIGS
ANY = "*"


@dataclass(frozen=True)
class Grant:
    """These operations on what has this name, or whose name begins with it."""

    on: ResourceType
    name: str
    may: tuple[AclOperation, ...]
    is_prefix: bool = False


def topics(may: tuple[AclOperation, ...], *names: str, prefix: bool = False) -> tuple[Grant, ...]:
    """The same operations on several topics."""
    return tuple(Grant(ResourceType.TOPIC, name, may, prefix) for name in names)


def group(name: str, *may: AclOperation, prefix: bool = False) -> Grant:
    """To read in a group's name, and commit what was read; or only to see how far it is."""
    return Grant(ResourceType.GROUP, name, may or (READ,), prefix)


def transactions(start: str) -> Grant:
    """To be the one that writes in transactions under names that begin so: it fences off who was it before."""
    return Grant(ResourceType.TRANSACTIONAL_ID, start, (WRITE,), is_prefix=True)


LOOKS = group(ANY, DESCRIBE)
"""A consumer of ours has a group, in which it commits nothing, and asks who coordinates it."""
SPARK = group("spark-kafka-", prefix=True)
KEPT = (READ, WRITE, CREATE, SETTINGS)
"""Of a topic in which a writer keeps where it is: made if it is missing, and refused where Kafka would delete of it."""


def grants(s: Settings, sent: Mapping[User, Collection[str]]) -> Mapping[User, tuple[Grant, ...]]:
    """What each user may do, but for those who may do everything. `sent`: the topics of those who send events."""
    own: dict[User, tuple[Grant, ...]] = {
        User.STREAM: (
            *topics((READ, CREATE, SETTINGS), ANY),
            *topics(KEPT, s.alerts_topic, s.alerts_state_topic),
            transactions("daybreak-alerts-"),
            group(s.consumer_group),
            *(SPARK, LOOKS),
        ),
        User.NIGHT: (
            *topics((READ, SETTINGS), ANY),
            *topics(KEPT, s.corrections_topic, s.corrections_state_topic),
            transactions("daybreak-corrections-"),
            *(SPARK, LOOKS),
        ),
        # It says which topics there are, and waits for answers where there are some.
        User.SENDER: (*topics((WRITE,), *sent[User.SENDER]), *topics((DESCRIBE,), ANY), LOOKS),
        User.WEBHOOKS: topics((WRITE,), *sent[User.WEBHOOKS]),
        User.NOTIFY: (
            *topics((READ,), s.alerts_topic, s.corrections_topic),
            *topics(KEPT, s.notify_state_topic, s.dead_letters_topic),
            transactions("daybreak-notify-"),
            LOOKS,
        ),
        User.READER: (*topics((READ,), ANY), group("reader", prefix=True)),
    }
    for one in at_kafka():
        own |= named(one.grants)(s)
    return own


@dataclass(frozen=True)
class Try:
    """Something to do with Kafka, and who may."""

    what: str
    may: tuple[User, ...]


O, S, N = User.OWNER, User.STREAM, User.NIGHT  # noqa: E741
SUPER = (O, User.BROKER)
SENDS, READS = (User.SENDER, User.WEBHOOKS), (S, N, User.READER)
TRIES = (
    Try("log in", tuple(User)),
    Try("log in at the controller's port", SUPER),
    Try("find a topic of events", (*SUPER, *READS, *SENDS)),
    Try("read a topic of events", (*SUPER, *READS)),
    Try("write a topic of events", (*SUPER, *SENDS)),
    Try("write a topic that no contract names", SUPER),
    Try("read alerts", (*SUPER, *READS, User.NOTIFY)),
    Try("write alerts", (*SUPER, S)),
    Try("write corrections", (*SUPER, N)),
    Try("write dead letters", (*SUPER, User.NOTIFY)),
    *(Try(what, (*SUPER, *map(User, may))) for one in at_kafka() for what, may in one.tries.items()),
    Try("be the writer of alerts (a transaction)", (*SUPER, S)),
    Try("be the writer of corrections (a transaction)", (*SUPER, N)),
    Try("commit the stream's position", (*SUPER, S)),
    Try("commit a reader's position", (*SUPER, User.READER)),
    Try("make a topic", (*SUPER, S)),
    Try("see a topic's settings", (*SUPER, S, N)),
    Try("change a topic's settings", SUPER),
    Try("add partitions to a topic", SUPER),
    Try("delete a topic's records", SUPER),
    Try("delete a topic", SUPER),
    Try("delete the stream's position", SUPER),
    Try("see who may do what", SUPER),
    Try("change who may do what", SUPER),
    Try("change a broker's settings", SUPER),
)


def page(text: str) -> str:
    """The page with a new table. Raises ValueError where the markers are missing."""
    return made_anew(text, MARKERS, table(TRIES, User))

"""How large a captured change may be, and what becomes of a row that is larger: it is set aside, and the others go on.

Data flow: Settings -> limits of the connector, its producer and its topics; row -> is it cut?
Run: daybreak up --with shop-db

Kafka refuses a record over a topic's limit, and then the connector ends, with all tables. So the connector cuts texts: what it
writes always fits. A text that has been cut is as long as the longest that can be, and so its row is known, and never taken
for the one of the database. LONGEST is no setting: of a text that was cut under another one nobody could tell.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from confluent_kafka.admin import (  # type: ignore[attr-defined]
    AdminClient,
    AlterConfigOpType,
    ConfigEntry,
    ConfigResource,
    ResourceType,
)

from infra.kafka import client

LONGEST = 1_000_000
"""UTF-16 units (as Java counts) from which on a text is not captured."""
TEXTS = 5
"""As many texts of a row may be so long: the widest captured table has five."""
WORST = 12
"""Bytes of a unit in a change: the row is there before and after, and JSON escapes some letters as six bytes."""
RECORD_BYTES = LONGEST * TEXTS * WORST + (1 << 20)
QUEUE_BYTES = 16 << 20
"""What the connector holds that is not handed on yet; it counts records only by default, and some are large."""
OF_TOPIC = "max.message.bytes"


def of_connector() -> dict[str, str]:
    """What a connector's configuration has of it."""
    return {
        f"column.truncate.to.{LONGEST}.chars": r".*\..*\..*",
        "max.queue.size.in.bytes": str(QUEUE_BYTES),
        "producer.override.max.request.size": str(RECORD_BYTES),
        "producer.override.buffer.memory": str(RECORD_BYTES),
    }


def is_cut(row: Mapping[str, Any]) -> bool:
    """Has the row a text that is too long to be captured, or was cut?"""
    return any(isinstance(text, str) and 2 * len(text) >= LONGEST and _units(text) >= LONGEST for text in row.values())


def _units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def widen(topics: Iterable[str]) -> None:
    """Let these topics, as far as they are there, take such records: an older version made them with Kafka's own limit.

    Raises TransientFailure if Kafka does not answer, KafkaException if it refuses.
    """
    with client.answers():
        admin: AdminClient = client.admin()
        there = admin.list_topics(timeout=20).topics
        asked = [ConfigResource(ResourceType.TOPIC, topic) for topic in topics if topic in there]
        known = {one: of.result(timeout=20) for one, of in admin.describe_configs(asked).items()} if asked else {}
        narrow = [ConfigResource(ResourceType.TOPIC, one.name) for one, has in known.items() if _is_narrow(has)]
        for one in narrow:
            one.add_incremental_config(
                ConfigEntry(OF_TOPIC, str(RECORD_BYTES), incremental_operation=AlterConfigOpType.SET)
            )
        for done in admin.incremental_alter_configs(narrow).values() if narrow else ():
            done.result(timeout=20)


def _is_narrow(configuration: Mapping[str, Any]) -> bool:
    return int(configuration[OF_TOPIC].value) < RECORD_BYTES

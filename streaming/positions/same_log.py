"""Is a topic still the log that was read? A position is an offset of one log, which Kafka names by the topic's id.

Data flow: ids in the property `daybreak.topics` of the table that keeps a reader's records, Log -> adopt, or refuse
Run: python -m streaming; python -m batch archive --date 2026-01-31

A topic that is deleted and made again under its name gives the old offsets to other records. Its end says so only while it is
shorter than what was read, so the id is asked. A platform from before adopts the ids that it finds, once.
"""

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from confluent_kafka.admin import AdminClient

from infra.failures import PermanentFailure
from infra.kafka.topic_ids import topic_ids
from infra.lake import arrow_tables
from infra.lake.tables import Table
from infra.problems import Problem

PROPERTY = "daybreak.topics"


@dataclass(frozen=True)
class OtherLog:
    """A topic that is not the log that was read: its id then, and now (None: there is no such topic)."""

    topic: str
    was: str
    now: str | None

    def __str__(self) -> str:
        if self.now is None:
            return f"the topic {self.topic} (id {self.was}) is not in Kafka any more"
        return f"the topic {self.topic} was deleted and made again: its id was {self.was} and is {self.now}"


WAY_OUT = (
    "Point DAYBREAK_KAFKA_BOOTSTRAP at the Kafka that has the old topic, or give the new one a lake of its own "
    "(DAYBREAK_BUCKET)"
)


def known(table: Table) -> dict[str, str]:
    """The id of each topic whose records the table keeps; empty before it is created."""
    text = arrow_tables.property_of(table, PROPERTY) if arrow_tables.exists(table) else None
    found: dict[str, str] = json.loads(text or "{}")
    return found


def adopt(table: Table, ids: Mapping[str, str]) -> None:
    """Keep the ids beside the records; that of a topic which is not in `ids` stays as it is."""
    before = known(table)
    if (after := before | {topic: one for topic, one in ids.items() if one}) != before:
        arrow_tables.set_property(table, PROPERTY, json.dumps(after, sort_keys=True))


def others(was: Mapping[str, str], now: Mapping[str, str], topics: Collection[str]) -> list[OtherLog]:
    """Those of `topics` that are another log now, or none at all; `was` and `now` are their ids."""
    # A broker without ids has nothing to compare.
    return [
        OtherLog(topic, was[topic], now.get(topic))
        for topic in sorted(topics)
        if topic in was and now.get(topic) not in (was[topic], "")
    ]


def refuse(found: Collection[OtherLog], reader: str) -> None:
    """Raise PermanentFailure, with the way out, if there is another log."""
    if found:
        raise PermanentFailure(f"{told(found, reader)}. Nothing is read. {WAY_OUT} (infra/README.md, Another log).")


def told(found: Collection[OtherLog], reader: str) -> str:
    """The sentence about them."""
    return f"{'; '.join(map(str, found))}. Its offsets are not those that {reader} has read"


def problems(found: Collection[OtherLog], reader: str) -> list[Problem]:
    """One problem per topic."""
    return [Problem(f"log.replaced/{reader}/{one.topic}", told([one], f"the {reader}"), WAY_OUT) for one in found]


def still(was: Mapping[str, str], admin: AdminClient) -> None:
    """Raise PermanentFailure if one of the topics has another id now; the client is kept, as each micro-batch asks.

    Asked after records were fetched: an id never comes back, so if it is the same now, they were of this log.
    """
    refuse(others(was, topic_ids(was, admin), was), "the stream")

"""The topics as datasets, and where each layer has the columns of their events.

Data flow: CONTRACTS -> datasets of Kafka; a column of a topic -> the table of events in which a layer reads it
Run: pytest tests/streaming/lineage/test_columns.py
"""

from pyspark.sql.types import StructField, StructType

from infra.lineage.datasets import Columns, Data, Origin, Place, in_kafka, of_topic
from infra.lineage.way import Way
from infra.settings import Settings
from streaming.contracts import CONTRACTS
from streaming.contracts.contract import ENVELOPE
from streaming.lineage.columns import Where


def topics(s: Settings) -> list[Data]:
    """The topics that both layers read, with the fields of their events."""
    return [
        of_topic(s, one.topic, StructType([*ENVELOPE.fields, *one.payload.fields]), one.description)
        for one in CONTRACTS.values()
    ]


def in_topics(s: Settings) -> Where:
    """A column of a topic's events in Kafka itself."""
    return lambda topic, column: (in_kafka(s, topic), column)


def in_events(events: Place) -> Where:
    """The same in a table of all topics' events, where each topic has a struct of its own."""

    def where(topic: str, column: str) -> tuple[Place, str]:
        return events, f"{CONTRACTS[topic].column}.{column}" if column in _payload(topic) else column

    return where


def of_events(s: Settings) -> Columns:
    """The origins of the columns of a table of all topics' events."""
    own: dict[str, list[Origin]] = {
        one.name: [Origin(in_kafka(s, topic), one.name, Way.IDENTITY) for topic in CONTRACTS] for one in ENVELOPE
    }
    for topic, contract in CONTRACTS.items():
        for name in _payload(topic):
            own[f"{contract.column}.{name}"] = [Origin(in_kafka(s, topic), name, Way.IDENTITY)]
    return own


def _payload(topic: str) -> set[str]:
    fields: list[StructField] = CONTRACTS[topic].payload.fields
    return {one.name for one in fields}

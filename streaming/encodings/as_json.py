"""A record's value as JSON text, whatever its topic's encoding: what both layers decode.

Data flow: records of several topics -> struct of text (JSON) and fault -> validate, archive
Run: pytest tests/streaming/test_avro.py tests/streaming/test_protobuf.py

A topic with JSON costs nothing here. Only a plan that reads a topic with a binary encoding calls Python.
"""

from collections.abc import Callable, Collection, Mapping

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.pandas.functions import arrow_udf

from streaming.contracts.contract import Contract
from streaming.reasons import Reason

BINARY = "binary"
"""The column of a binary value's `text` (JSON) and `fault` (a reason); null for records of other topics."""
FAULTS: Mapping[str, tuple[Reason, ...]] = {
    "avro": (Reason.NOT_AVRO, Reason.UNKNOWN_SCHEMA),
    "protobuf": (Reason.NOT_PROTOBUF,),
    "debezium": (Reason.NOT_A_CHANGE, Reason.UNAVAILABLE_VALUE),
}
"""The binary encodings, each with the reasons for which a value has no text."""
MAX_BYTES = 65_536
"""A value longer than this is not decoded; of a captured table see MAX_ROW_BYTES."""
MAX_ROW_BYTES = 999_999
"""A captured row that is longer than this as JSON is rejected. The change around it may be of any length that Kafka takes: it
carries the row twice, and columns that the contract does not name. A connector that cuts texts at a million letters has no cut
text in a row that is accepted."""

Decode = Callable[[str, bytes], tuple[str | None, str | None]]
"""Topic, value -> JSON text, or the reason for which there is none. Never raises."""
ARROW = pa.struct([("text", pa.string()), ("fault", pa.string())])
SQL = "text string, fault string"


def in_binary(contracts: Collection[Contract]) -> list[Contract]:
    """The contracts whose topics carry a binary encoding."""
    return [one for one in contracts if one.encoding in FAULTS]


def with_binary(records: DataFrame, contracts: Collection[Contract]) -> DataFrame:
    """Records with the column BINARY; without such a topic the records as they are."""
    found = in_binary(contracts)

    def own(contract: Contract) -> Column:
        is_readable = (F.col("topic") == contract.topic) & is_short_enough([contract])
        return _decoded(contract, F.when(is_readable, F.col("value")))

    return records.withColumn(BINARY, F.coalesce(*map(own, found))) if found else records


def is_short_enough(contracts: Collection[Contract]) -> Column:
    """Over records: is the value short enough to be decoded? Every change of a captured table is: its row is measured after."""
    is_short = F.octet_length("value") <= MAX_BYTES
    captured = [one.topic for one in contracts if one.captured]
    return is_short | F.col("topic").isin(*captured) if captured else is_short


def oversize(contract: Contract) -> Column:
    """Over records `with_binary`: is the value, or of a captured table the row as JSON, longer than it may be?"""
    if contract.captured:
        return F.octet_length(F.col(BINARY)["text"]) > MAX_ROW_BYTES
    return F.octet_length("value") > MAX_BYTES


def json_text(contracts: Collection[Contract]) -> Column:
    """Over records `with_binary`: the value as JSON text; null where a binary value could not be decoded, or is oversize then."""
    plain = F.col("value").cast("string")
    topics = [one.topic for one in in_binary(contracts)]
    if not topics:
        return plain
    text = F.col(BINARY)["text"]
    for one in contracts:
        if one.captured:
            text = F.when((F.col("topic") != one.topic) | ~oversize(one), text)
    return F.when(F.col("topic").isin(*topics), text).otherwise(plain)


def stored_schemas(contract: Contract) -> list[str]:
    """The schemas by which values of the contract's versions are decoded; a plan does not show them."""
    # Only topics with an encoding need its library.
    if contract.encoding == "avro":
        from streaming.encodings.avro_schemas import texts

        return [text for version, text in texts(contract.topic).items() if version in contract.versions]
    if contract.encoding == "protobuf":
        from streaming.encodings.proto_schemas import proto

        return [proto(contract)]
    return [str(contract.captured)] if contract.captured else []


def _decoded(contract: Contract, value: Column) -> Column:
    """A struct of `text` and `fault`, null where the value is null."""
    topic, decode = contract.topic, _decoder(contract)

    def encoded(values: pa.Array) -> pa.Array:
        found = [None if one is None else decode(topic, one) for one in values.to_pylist()]
        rows = [None if one is None else dict(zip(("text", "fault"), one, strict=True)) for one in found]
        return pa.array(rows, ARROW)

    # The name that a plan shows.
    encoded.__name__ = contract.encoding
    text: Column = arrow_udf(encoded, SQL)(value)  # type: ignore[call-overload]
    return text


def _decoder(contract: Contract) -> Decode:
    if contract.encoding == "avro":
        from streaming.encodings.avro import decode

        return decode
    if contract.encoding == "protobuf":
        from streaming.encodings.protobuf import decode

        return decode
    from streaming.encodings import debezium

    table = debezium.Table.of(contract)
    return lambda topic, value: debezium.decode(table, value)

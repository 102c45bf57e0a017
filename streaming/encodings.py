"""A record's value as JSON text, whatever its topic's encoding: what both layers decode.

Data flow: records of several topics -> struct of text (JSON) and fault -> validate, archive
Run: pytest tests/streaming/test_avro.py

A topic with JSON costs nothing here. Only a plan that reads a topic with Avro calls Python.
"""

from collections.abc import Collection

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from streaming.contracts.contract import Contract

AVRO = "avro"
"""The column of an Avro value's `text` (JSON) and `fault` (a reason); null for records of other topics."""
MAX_BYTES = 65_536
"""A value longer than this is not decoded."""


def in_avro(contracts: Collection[Contract]) -> list[Contract]:
    """The contracts whose topics carry Avro."""
    return [one for one in contracts if one.encoding == "avro"]


def with_avro(records: DataFrame, contracts: Collection[Contract]) -> DataFrame:
    """Records with the column AVRO; without an Avro topic the records as they are."""
    found = in_avro(contracts)
    if not found:
        return records
    # Only these topics need the library.
    from streaming.avro import decoded

    def own(contract: Contract) -> Column:
        is_readable = (F.col("topic") == contract.topic) & (F.octet_length("value") <= MAX_BYTES)
        return decoded(contract.topic, F.when(is_readable, F.col("value")))

    return records.withColumn(AVRO, F.coalesce(*[own(one) for one in found]))


def json_text(contracts: Collection[Contract]) -> Column:
    """Over records `with_avro`: the value as JSON text; null where an Avro value could not be decoded."""
    plain = F.col("value").cast("string")
    topics = [one.topic for one in in_avro(contracts)]
    return F.when(F.col("topic").isin(*topics), F.col(AVRO)["text"]).otherwise(plain) if topics else plain


def stored_schemas(contract: Contract) -> list[str]:
    """The Avro schemas by which values of the contract's versions are decoded; a plan does not show them."""
    from streaming.avro_schemas import texts

    return [text for version, text in texts(contract.topic).items() if version in contract.versions]

"""Values of more than a MB, which no contract reads: Spark takes their beginning, and the driver the whole, past its rows.

Data flow: records of Kafka, SIZE -> records with shortened values -> validated -> Arrow with the whole values
Run: pytest tests/streaming/test_long_values.py

What a producer packs into 50 kB may be 50 MB. Each step of a plan copies a row, and a dozen copies fill the heap: at every
repetition, so that the stream would stand still for ever. A value longer than MAX_BYTES is rejected unread, and one byte more
than that gives the same reasons. Of a captured table every change is read (`encodings.py`).
"""

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import Column, SparkSession
from pyspark.sql import functions as F

from infra.kafka.values import values_at
from infra.settings import settings
from streaming.contracts import CONTRACTS
from streaming.encodings.as_json import MAX_BYTES, is_short_enough

LONG = 1 << 20
"""Bytes of a value from which on Spark takes its beginning only."""
BEGINNING = MAX_BYTES + 1


def shortened() -> Column:
    """Over records: the value, or of a long one its beginning."""
    stays = is_short_enough(CONTRACTS.values()) | (F.octet_length("value") <= LONG)
    return F.when(stays, F.col("value")).otherwise(F.substring("value", 1, BEGINNING))


def restored(session: SparkSession, found: pa.Table, size: str) -> pa.Table:
    """Rows with whole values; column `size` tells which records are that large. Raises TransientFailure as `values_at` does."""
    may_be = pc.and_(pc.greater(found[size], LONG), pc.equal(pc.binary_length(found["value"]), BEGINNING))
    is_cut = pc.fill_null(may_be, False).combine_chunks()
    if not pc.any(is_cut).as_py():
        return found
    cut = found.select(["topic", "partition", "offset"]).filter(is_cut)
    places = list(zip(*(column.to_pylist() for column in cut.columns), strict=True))
    values = values_at(session, settings(), places)
    whole = pa.array([values[place] for place in places], found.schema.field("value").type)
    value = pc.replace_with_mask(found["value"].combine_chunks(), is_cut, whole)
    return found.set_column(found.schema.get_field_index("value"), found.schema.field("value"), value)

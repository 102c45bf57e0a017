"""Is a value of any JSON a string? Decoding alone would accept a number or an object, as text.

Data flow: variant -> true or false
Run: pytest tests/streaming/test_contracts.py
"""

from pyspark.sql import Column
from pyspark.sql import functions as F


def is_string(value: Column) -> Column:
    """Of what holds something else only that is asked: where 1,000 arrays are inside of each other, Spark's own question after
    the schema overflows the stack, and the whole process ends."""
    holds = [F.try_variant_get(value, "$", kind).isNotNull() for kind in ("array<variant>", "map<string,variant>")]
    is_text = F.coalesce(F.schema_of_variant(value) == "STRING", F.lit(False))
    return F.when(holds[0] | holds[1], F.lit(False)).otherwise(is_text)

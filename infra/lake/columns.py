"""Columns with descriptions: the comment is stored in the table, and copied to dbt's sources and the docs.

Data flow: name, type, comment -> StructField of a Table's schema
Run: pytest tests/batch/test_catalog.py
"""

from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    BooleanType,
    DataType,
    DateType,
    DoubleType,
    IntegerType,
    LongType,
    MapType,
    StringType,
    StructField,
    StructType,
    TimestampType,
)

TYPES: dict[str, DataType] = {
    "binary": BinaryType(),
    "boolean": BooleanType(),
    "date": DateType(),
    "int": IntegerType(),
    "bigint": LongType(),
    "double": DoubleType(),
    "string": StringType(),
    "timestamp": TimestampType(),
    "array<string>": ArrayType(StringType()),
    "map<string,string>": MapType(StringType(), StringType()),
    "map<string,bigint>": MapType(StringType(), LongType()),
    "map<string,timestamp>": MapType(StringType(), TimestampType()),
}
"""The types that columns have, by their names in SQL."""

COMMENT = "comment"
"""Where Spark and Delta keep a column's comment."""


def column(name: str, kind: str | DataType, comment: str) -> StructField:
    """A column that may be null. `kind`: a name of TYPES, or a Spark type. Raises KeyError for another name."""
    return StructField(name, TYPES[kind] if isinstance(kind, str) else kind, True, {COMMENT: comment})


def struct(*columns: StructField) -> StructType:
    """Columns as one schema."""
    return StructType(list(columns))


def comment(field: StructField) -> str:
    """What a column means; empty if it has no comment."""
    return str((field.metadata or {}).get(COMMENT, ""))


def plain(kind: DataType) -> DataType:
    """The same type without comments, nested ones too, so that no plan or parser changes with a description."""
    if isinstance(kind, ArrayType):
        return ArrayType(plain(kind.elementType), kind.containsNull)
    if isinstance(kind, StructType):
        return StructType([plain_field(field) for field in kind])
    return kind


def plain_field(field: StructField) -> StructField:
    """The same column without comments."""
    return StructField(field.name, plain(field.dataType), field.nullable)

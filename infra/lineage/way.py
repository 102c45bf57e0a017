"""How a value follows from a column, by OpenLineage's names.

Data flow: Spark's plan, DAYBREAK's own knowledge -> Way -> the facet of column lineage
Run: pytest tests/streaming/lineage/test_columns.py
"""

from enum import StrEnum


class Way(StrEnum):
    """Directly: the value is in the result. Or not: it decides which values, or which rows, are in it."""

    IDENTITY = "IDENTITY"
    TRANSFORMATION = "TRANSFORMATION"
    AGGREGATION = "AGGREGATION"
    CONDITIONAL = "CONDITIONAL"
    FILTER = "FILTER"
    JOIN = "JOIN"
    GROUP_BY = "GROUP_BY"
    SORT = "SORT"
    WINDOW = "WINDOW"

    @property
    def is_direct(self) -> bool:
        """Is the value in the result?"""
        return self in (Way.IDENTITY, Way.TRANSFORMATION, Way.AGGREGATION)

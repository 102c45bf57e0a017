"""Rules about the elements of an array field.

Data flow: array field of an event -> true where an element breaks the rule
Run: pytest tests/streaming/test_validate.py
"""

from collections.abc import Callable

from pyspark.sql import Column
from pyspark.sql import functions as F

from streaming.contracts.contract import RAW, Rule
from streaming.reasons import Reason


def each_between(array: str, field: str, low: int, high: int) -> Rule:
    """`low <= field <= high` in every element of `array`."""
    return Rule(
        Reason.OUT_OF_RANGE, lambda event: F.exists(event[array], lambda element: ~element[field].between(low, high))
    )


def each_matches(array: str, field: str, pattern: str) -> Rule:
    """The whole of `field` matches `pattern` in every element of `array`."""
    return Rule(
        Reason.BAD_FORMAT,
        lambda event: F.exists(event[array], lambda element: ~element[field].rlike(f"^(?:{pattern})\\z")),
    )


def each_has(array: str, *fields: str) -> Rule:
    """No element of `array` is null or lacks one of `fields`."""

    def lacks(element: Column) -> Column:
        missing = element.isNull()
        for name in fields:
            missing = missing | element[name].isNull()
        return missing

    return Rule(Reason.MISSING_FIELD, lambda event: F.exists(event[array], lacks))


def each_names_only(array: str, *fields: str) -> tuple[Rule, Rule]:
    """Every element of `array` has only the fields `fields`, each once; decoding alone would drop all others."""

    def some(broken: Callable[[Column], Column]) -> Callable[[Column], Column]:
        def found(event: Column) -> Column:
            elements = F.from_json(F.col(RAW), f"{array} array<string>")[array]
            return F.exists(elements, lambda element: broken(F.json_object_keys(element)))

        return found

    unknown = some(lambda names: F.size(F.array_except(names, F.lit(list(fields)))) > 0)
    doubled = some(lambda names: F.size(names) != F.size(F.array_distinct(names)))
    return (
        Rule(Reason.UNKNOWN_FIELD, unknown, is_of_writing=True),
        Rule(Reason.DUPLICATE_FIELD, doubled, is_of_writing=True),
    )

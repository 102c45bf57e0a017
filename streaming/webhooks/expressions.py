"""Evaluate Spark's expressions on one record, without Spark: the rules of contracts are written once, and checked at once.

Data flow: a Column, as Spark Connect's client builds it (a tree of Python objects) -> its value over one row
Run: pytest tests/streaming/test_webhooks_check.py

Only what contracts use is known here. A function that is not raises NotKnown, and the check says that it did not check that rule.
A row is a dict; a struct is a dict, a string a str, a binary bytes, a time and an interval milliseconds, null None.
"""

import operator
import re
from collections.abc import Callable, Iterable, Mapping
from functools import reduce
from typing import Any

from pyspark.sql.connect import expressions as tree

from streaming.webhooks.json_text import is_of_variant, names_of, variant_kind

Row = Mapping[str, Any]
Strict = Callable[..., Any]
LONG = 2**63
INTERVAL = re.compile(r"INTERVAL (\d+) (DAYS|MINUTES)")
MILLISECONDS = {"DAYS": 86_400_000, "MINUTES": 60_000}
ONE_FIELD = re.compile(r"`?(\w+)`? (variant|array<string>)")
"""The schemas by which a rule reads one field of a text as it is written."""


class NotKnown(Exception):
    """An expression that is not evaluated here."""


def value(one: tree.Expression, row: Row) -> Any:
    """The value of an expression. Raises NotKnown."""
    match one:
        case tree.LiteralExpression():
            return one._value
        case tree.ColumnReference():
            return row[one._unparsed_identifier.strip("`")]
        case tree.UnresolvedNamedLambdaVariable():
            return row[one._name_parts[0]]
        case tree.ColumnAlias():
            return value(one._child, row)
        case tree.UnresolvedExtractValue():
            whole = value(one._child, row)
            return None if whole is None else whole[value(one._extraction, row)]
        case tree.CaseWhen():
            found = (then for when, then in one._branches if value(when, row) is True)
            then = next(found, one._else_value)
            return None if then is None else value(then, row)
        case tree.CastExpression() if str(one._data_type) in ("string", "long"):
            return _cast(str(one._data_type), value(one._expr, row))
        case tree.SQLExpression() if interval := INTERVAL.fullmatch(one._expr):
            return int(interval[1]) * MILLISECONDS[interval[2]]
        case tree.UnresolvedFunction() if one._name in LAZY:
            return LAZY[one._name](one._args, row)
        case tree.UnresolvedFunction() if one._name in STRICT:
            given = [value(each, row) for each in one._args]
            return None if None in given else STRICT[one._name](*given)
    raise NotKnown(getattr(one, "_name", str(one)))


def _cast(kind: str, given: Any) -> Any:
    if isinstance(given, bytes) and kind == "string":
        return given.decode(errors="replace")
    if given is None or type(given) is {"string": str, "long": int}[kind]:
        return given
    raise NotKnown(f"cast of {type(given).__name__} to {kind}")


def _and(args: Iterable[tree.Expression], row: Row) -> bool | None:
    found = [value(one, row) for one in args]
    return False if False in found else None if None in found else True


def _or(args: Iterable[tree.Expression], row: Row) -> bool | None:
    found = [value(one, row) for one in args]
    return True if True in found else None if None in found else False


def _in(args: list[tree.Expression], row: Row) -> bool | None:
    one, *others = [value(each, row) for each in args]
    if one is None:
        return None
    return one in others or (None if None in others else False)


def _exists(args: list[tree.Expression], row: Row) -> bool | None:
    elements = value(args[0], row)
    if elements is None:
        return None
    found = [_called(args[1], row, element) for element in elements]
    return True if True in found else None if None in found else False


def _aggregate(args: list[tree.Expression], row: Row) -> Any:
    elements = value(args[0], row)
    if elements is None:
        return None
    return reduce(lambda total, element: _called(args[2], row, total, element), elements, value(args[1], row))


def _called(function: tree.Expression, row: Row, *given: Any) -> Any:
    if not isinstance(function, tree.LambdaFunction):
        raise NotKnown(str(function))
    own = {one._name_parts[0]: each for one, each in zip(function._arguments, given, strict=True)}
    return value(function._function, {**row, **own})


def _from_json(args: list[tree.Expression], row: Row) -> Mapping[str, Any] | None:
    """One field of the record's text, as it is written. What is done to the text before changes no structure."""
    field = ONE_FIELD.fullmatch(str(value(args[1], row)))
    if field is None:
        raise NotKnown("from_json")
    if row["written"] is None:
        return None
    found = row["written"].get(field[1])
    return {field[1]: found if field[2] == "variant" or isinstance(found, list) else None}


def _fits(found: int) -> int | None:
    return found if -LONG <= found < LONG else None


def _except(one: list[Any], other: list[Any]) -> list[Any]:
    return [each for each in dict.fromkeys(one) if each not in other]


def _matches(text: str, pattern: str) -> bool:
    # Java's \z is Python's \Z.
    return re.search(pattern.replace(r"\z", r"\Z"), text) is not None


LAZY: Mapping[str, Callable[[list[tree.Expression], Row], Any]] = {
    "and": _and,
    "or": _or,
    "in": _in,
    "exists": _exists,
    "aggregate": _aggregate,
    "from_json": _from_json,
    "array": lambda args, row: [value(one, row) for one in args],
    "coalesce": lambda args, row: next((one for each in args if (one := value(each, row)) is not None), None),
    # Null where it is of no such kind; who asks for the kind only does not ask for what is inside.
    "try_variant_get": lambda args, row: is_of_variant(value(args[0], row), value(args[2], row)) or None,
    "isNull": lambda args, row: value(args[0], row) is None,
    "isNotNull": lambda args, row: value(args[0], row) is not None,
}
"""Functions that do not simply give null for null."""
STRICT: Mapping[str, Strict] = {
    "not": operator.not_,
    "==": operator.eq,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "+": operator.add,
    "-": operator.sub,
    "try_add": lambda one, other: _fits(one + other),
    "try_multiply": lambda one, other: _fits(one * other),
    "size": len,
    "length": len,
    "octet_length": len,
    "is_valid_utf8": lambda text: True,
    "replace": str.replace,
    "rlike": _matches,
    "regexp_replace": lambda text, pattern, by: re.sub(pattern, by, text),
    "array_distinct": lambda one: list(dict.fromkeys(one)),
    "array_except": _except,
    "json_object_keys": names_of,
    "schema_of_variant": variant_kind,
}

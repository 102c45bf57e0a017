"""What an expression of a plan comes from, given what the columns below it come from.

Data flow: expression, Value per column id -> Value; columns that decide which rows there are -> Deciding
Run: pytest tests/streaming/lineage/test_columns.py
"""

from collections.abc import Mapping

from infra.lineage.way import Way
from streaming.lineage.plan import Node
from streaming.lineage.value import NOTHING, Value, flat, merged

Scope = Mapping[int, Value]
"""What the columns that an expression may name come from, by their ids."""
Deciding = set[tuple[str, str, Way]]
"""Columns that decide which rows there are."""

SAME = {"Alias", "KnownNullable", "KnownNotNull", "AssertNotNull", "NormalizeNaNAndZero"}
"""What leaves a value as it is."""
PICKS = {
    *("Min", "Max", "First", "Last", "AnyValue", "NthValue", "Lag", "Lead", "CollectList", "CollectSet"),
    *("Get", "GetArrayItem", "ElementAt", "Explode", "PosExplode", "Slice", "SortArray", "ArrayDistinct", "Reverse"),
    *("Coalesce", "CreateArray", "Concat", "Cast", "Greatest", "Least"),
}
"""What gives one of its values, or several, of the same form: a struct's fields stay apart."""
BY_ANOTHER = {"MaxBy", "MinBy"}
"""What gives its first value where the second is the largest or the smallest."""
BY_EACH = {"ArrayFilter", "ArrayTransform", "ArraySort"}
"""What calls a function with each element of an array."""


class Unread(Exception):
    """A plan has something of which it is not known what it does to columns."""


def value(one: Node, scope: Scope, deciding: Deciding) -> Value:
    """What an expression comes from. Raises Unread if it names a column that is not known."""
    if one.kind in ("AttributeReference", "OuterReference", "NamedLambdaVariable"):
        if one.id not in scope:
            raise Unread(f"a plan names the column {one.name}, and nothing below gives it")
        return scope[one.id]
    if one.kind == "LambdaFunction":
        return value(one.children[0], scope, deciding)
    if one.kind in BY_EACH:
        return _by_each(one, scope, deciding)
    if one.kind == "ArrayAggregate":
        return _aggregated(one, scope, deciding)
    parts = [value(each, scope, deciding) for each in one.children]
    if one.kind in SAME:
        return parts[0]
    if one.kind == "GetStructField":
        return parts[0].of(one.own.get("name"), int(one.own["ordinal"]))
    if one.kind == "GetArrayStructFields":
        return parts[0].of(one.own["field"]["name"], int(one.own["ordinal"]))
    if one.kind == "CreateNamedStruct":
        names = [str(each.own.get("value")) for each in one.children[::2]]
        return Value(fields=dict(zip(names, parts[1::2], strict=True)))
    if one.kind == "CaseWhen":
        return _chosen(parts[:-1:2] if len(parts) % 2 else parts[::2], [*parts[1::2], *parts[-1:] * (len(parts) % 2)])
    if one.kind == "If":
        return _chosen(parts[:1], parts[1:])
    if one.kind == "AggregateExpression":
        return _chosen(parts[1:], [parts[0].by(Way.AGGREGATION)])
    if one.kind == "WindowExpression":
        return parts[0].by(Way.TRANSFORMATION)
    if one.kind == "WindowSpecDefinition":
        deciding |= flat(parts, Way.WINDOW).whole
        return NOTHING
    if one.kind in BY_ANOTHER:
        return _chosen(parts[1:], parts[:1])
    if one.kind in PICKS:
        return merged(parts).by(Way.TRANSFORMATION)
    return flat(parts, Way.TRANSFORMATION)


def _chosen(by: list[Value], among: list[Value]) -> Value:
    """One of some values, where others say which. One alone is as it was."""
    return merged([*among, flat(by, Way.CONDITIONAL)])


def _by_each(one: Node, scope: Scope, deciding: Deciding) -> Value:
    """The function gives the new elements (ArrayTransform), or only says which or in which order."""
    array, function = value(one.children[0], scope, deciding), one.children[1]
    inner = dict(scope) | {each.id: array.by(Way.TRANSFORMATION) for each in function.children[1:]}
    result = value(function, inner, deciding)
    return result if one.kind == "ArrayTransform" else _chosen([result], [array.by(Way.TRANSFORMATION)])


def _aggregated(one: Node, scope: Scope, deciding: Deciding) -> Value:
    array, zero, merge, finish = one.children
    known = merged([value(each, scope, deciding) for each in (array, zero)]).by(Way.AGGREGATION)
    inner = dict(scope) | {each.id: known for function in (merge, finish) for each in function.children[1:]}
    return flat([value(each, inner, deciding) for each in (merge, finish)], Way.AGGREGATION)

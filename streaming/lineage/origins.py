"""What the columns of a frame come from: its plan, followed from the columns of topics upwards by the ids that Spark gives.

Data flow: plan over empty frames whose columns are marked -> sources per column, and those that decide which rows there are
Run: pytest tests/streaming/lineage/test_columns.py
Source: OpenLineage's integration for Spark, which follows `exprId` through the plan too.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from infra.lineage.way import Way
from streaming.lineage.expressions import Deciding, Scope, Unread, value
from streaming.lineage.plan import SCHEMA, Node, tree
from streaming.lineage.value import NOTHING, Source, Value, flat, merged

MARK = "daybreak.origin"
"""In the metadata of a column: the topic and the column that it is, as `topic/column`."""


class Column(NamedTuple):
    """A column that a node of a plan gives."""

    name: str
    id: int
    value: Value


class Origins(NamedTuple):
    """The sources of each column, and of the rows."""

    columns: dict[str, frozenset[Source]]
    rows: frozenset[Source]


def origins(plan: Node) -> Origins:
    """What a plan's columns come from. Raises Unread if it holds something of which that is not known."""
    deciding: Deciding = set()
    found = _given(plan, deciding)
    return Origins({one.name: one.value.whole for one in found}, frozenset(deciding))


def _given(plan: Node, deciding: Deciding) -> list[Column]:
    """What a node gives, in order. Its expressions see what its children give, and nothing else."""
    below = [_given(child, deciding) for child in plan.children]
    scope: Scope = {one.id: one.value for columns in below for one in columns}

    def decides(found: Iterable[Node], way: Way) -> None:
        deciding.update(flat([value(one, scope, deciding) for one in found], way).whole)

    def named(field: str) -> list[Column]:
        return [Column(one.name, one.id, value(one, scope, deciding)) for one in plan.expressions(field)]

    nodes: dict[str, Callable[[], list[Column]]] = {
        "Project": lambda: named("projectList"),
        "Aggregate": lambda: named("aggregateExpressions"),
        "Window": lambda: [*below[0], *named("windowExpressions")],
        "Union": lambda: [
            Column(same[0].name, same[0].id, merged(one.value for one in same)) for same in zip(*below, strict=True)
        ],
        "Generate": lambda: [*below[0], *_generated(plan, scope, deciding)],
        "Join": lambda: _joined(plan, below),
        "Expand": lambda: _expanded(plan, scope, deciding),
    }
    for field, way in (("condition", Way.JOIN if plan.kind == "Join" else Way.FILTER), *DECIDING.get(plan.kind, ())):
        decides(plan.expressions(field), way)
    if plan.kind in nodes:
        return nodes[plan.kind]()
    if not plan.children:
        own = zip(plan.expressions("output"), plan.own[SCHEMA], strict=True)
        return [Column(one.name, one.id, _marked(field.get("metadata") or {})) for one, field in own]
    if given := plan.expressions("output"):
        # A function of Python, say: what it does to columns is not known, so each may come from all.
        return [Column(one.name, one.id, flat(scope.values(), Way.TRANSFORMATION)) for one in given]
    if len(below) == 1:
        # Filter, Sort, Limit, Distinct, ...: the same columns.
        return below[0]
    raise Unread(f"a plan has the node {plan.kind}, and it is not known which columns that gives")


DECIDING = {
    "Aggregate": (("groupingExpressions", Way.GROUP_BY),),
    "Sort": (("order", Way.SORT),),
    "Window": (("partitionSpec", Way.WINDOW), ("orderSpec", Way.WINDOW)),
    "Deduplicate": (("keys", Way.GROUP_BY),),
}
"""Fields of nodes whose columns decide which rows there are, beside `condition`."""


def _marked(metadata: Mapping[str, object]) -> Value:
    mark = metadata.get(MARK)
    if mark is None:
        return NOTHING
    topic, _, column = str(mark).partition("/")
    return Value(frozenset({(topic, column, Way.IDENTITY)}))


def _generated(plan: Node, scope: Scope, deciding: Deciding) -> list[Column]:
    """The columns of a generator: the last is the element; others, like its place, only follow from the same."""
    (generator,) = plan.expressions("generator")
    element, own = value(generator, scope, deciding), plan.expressions("generatorOutput")
    place = flat([element], Way.TRANSFORMATION)
    return [Column(one.name, one.id, element if one is own[-1] else place) for one in own]


def _joined(plan: Node, below: list[list[Column]]) -> list[Column]:
    kind = plan.own.get("joinType")
    name = str(kind.get("object", kind) if isinstance(kind, dict) else kind)
    return below[0] if "LeftSemi" in name or "LeftAnti" in name else [*below[0], *below[1]]


def _expanded(plan: Node, scope: Scope, deciding: Deciding) -> list[Column]:
    rows = [[value(tree(one), scope, deciding) for one in row] for row in plan.own["projections"]]
    own = plan.expressions("output")
    return [Column(one.name, one.id, merged(same)) for one, same in zip(own, zip(*rows, strict=True), strict=True)]

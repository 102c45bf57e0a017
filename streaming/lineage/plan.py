"""Spark's analyzed plan as a tree: its JSON lists the nodes in pre-order, each with the number of its children.

Data flow: DataFrame -> JSON of its analyzed plan -> Node
Run: pytest tests/streaming/lineage/test_columns.py
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pyspark.sql import DataFrame

SCHEMA = "schema of output"
"""Field of a leaf: what it gives, as a schema's JSON has it."""


@dataclass(frozen=True)
class Node:
    """A node of a plan, or of an expression in it. `kind`: its class, e.g. `Project`; `own`: its other fields."""

    kind: str
    own: Mapping[str, Any]
    children: "tuple[Node, ...]"

    @property
    def id(self) -> int:
        """Of a named expression: its id, by which others refer to it."""
        return int(self.own["exprId"]["id"])

    @property
    def name(self) -> str:
        """Of a named expression: its name."""
        return str(self.own["name"])

    def expressions(self, field: str) -> "list[Node]":
        """The expressions of a field, which has none, one, or a list of them."""
        found = self.own.get(field) or []
        return [tree(found)] if found and isinstance(found[0], Mapping) else [tree(one) for one in found]


def analyzed(frame: DataFrame) -> Node:
    """The frame's analyzed plan. Each leaf has in SCHEMA the schema of what it gives: the plan's JSON leaves out metadata."""
    plan = frame._jdf.queryExecution().analyzed()
    listed, leaves = json.loads(plan.toJSON()), plan.collectLeaves()
    own = [one for one in listed if not one["num-children"]]
    for place, leaf in enumerate(own):
        leaf[SCHEMA] = json.loads(leaves.apply(place).schema().json())["fields"]
    return tree(listed)


def tree(listed: Sequence[Mapping[str, Any]]) -> Node:
    """The tree of nodes in pre-order."""
    return _next(iter(listed))


def _next(rest: Iterator[Mapping[str, Any]]) -> Node:
    one = next(rest)
    kind = str(one["class"]).rsplit(".", 1)[-1]
    return Node(kind, one, tuple(_next(rest) for _ in range(one["num-children"])))

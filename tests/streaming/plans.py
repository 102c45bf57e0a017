"""What in a plan costs more than a sort: joins that look at pairs or give them, windows that are added up anew for each row.

Data flow: a frame -> the nodes of its physical plan -> sentences on what grows with the square of a key's rows
Run: pytest tests/streaming/test_hot_keys.py
"""

import re
from collections.abc import Iterator
from typing import Any

from pyspark.sql import DataFrame

BOUND = r"(unbounded\w+|currentrow|-?\d+)\S*"
FRAME = re.compile(rf"specifiedwindowframe\((\w+), {BOUND}, {BOUND}\)")
SHORT = 100
"""Rows in a window's frame that may be added up for each row."""


def nodes(plan: Any) -> Iterator[Any]:
    """The nodes of a physical plan."""
    yield plan
    below = plan.children()
    for place in range(below.size()):
        yield from nodes(below.apply(place))


def slow(frame: DataFrame) -> list[str]:
    """What in the plan looks at pairs of a key's rows, whether or not they become rows."""
    found = []
    for node in nodes(frame._jdf.queryExecution().executedPlan()):
        name = node.getClass().getSimpleName()
        if "Join" in name and node.condition().isDefined():
            found.append(f"{name} looks at each pair: {node.condition().get().toString()}")
        if name == "WindowExec":
            found += [f"a window is added up for each row: {one}" for one in _frames(node) if not _is_cheap(*one)]
    return found


def most_rows(frame: DataFrame) -> int:
    """Run the frame, and give the rows of the node that gave most."""
    frame.toArrow()
    found = []
    for node in nodes(frame._jdf.queryExecution().executedPlan()):
        rows = node.metrics().get("numOutputRows")
        found += [rows.get().value()] if rows.isDefined() else []
    return max(found)


def _frames(node: Any) -> list[tuple[str, str, str]]:
    windows = node.windowExpression()
    texts = (windows.apply(place).toString() for place in range(windows.size()))
    return [found for text in texts for found in FRAME.findall(text)]


def _is_cheap(kind: str, first: str, last: str) -> bool:
    """From the key's first row on, one row, or few."""
    if first == "unboundedpreceding":
        return True
    if kind == "RangeFrame":
        return False
    return not last.startswith("unbounded") and _place(last) - _place(first) < SHORT


def _place(bound: str) -> int:
    return 0 if bound == "currentrow" else int(bound)

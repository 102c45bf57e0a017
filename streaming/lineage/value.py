"""What a value of a plan comes from: columns of topics, each with the way in which it was used, also field by field of a struct.

Data flow: columns of topics -> Value -> Value of what is computed from it
Run: pytest tests/streaming/lineage/test_columns.py
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from infra.lineage.way import Way

Source = tuple[str, str, Way]
"""A topic, its column, and how it was used."""

STRONGER = (Way.IDENTITY, Way.TRANSFORMATION, Way.AGGREGATION)
"""The direct ways: what follows one of them is at least that."""


@dataclass(frozen=True)
class Value:
    """`own`: what all of it comes from; `fields`: of a struct, or an array of structs, what each field comes from beside that."""

    own: frozenset[Source] = frozenset()
    fields: "Mapping[str, Value]" = field(default_factory=dict)

    @property
    def whole(self) -> frozenset[Source]:
        """What any part of it comes from."""
        return self.own.union(*(one.whole for one in self.fields.values()))

    def by(self, way: Way) -> "Value":
        """What is computed from it in a way, of the same form."""
        return Value(
            frozenset((topic, column, _after(known, way)) for topic, column, known in self.own),
            {name: one.by(way) for name, one in self.fields.items()},
        )

    def of(self, name: str | None, place: int) -> "Value":
        """A field, by its name, or where Spark does not say it by its place."""
        name = list(self.fields)[place] if name is None and place < len(self.fields) else name
        # What is not known field by field is all that a field can come from.
        found = self.fields.get(name or "", NOTHING)
        return merged([found, Value(self.own).by(Way.TRANSFORMATION)])


NOTHING = Value()
"""Of a constant."""


def merged(values: Iterable[Value]) -> Value:
    """What comes from any of them."""
    own: frozenset[Source] = frozenset()
    fields: dict[str, Value] = {}
    for one in values:
        own |= one.own
        for name, inner in one.fields.items():
            fields[name] = merged([fields[name], inner]) if name in fields else inner
    return Value(own, fields)


def flat(values: Iterable[Value], way: Way) -> Value:
    """What is computed from all parts of them together."""
    return Value(frozenset().union(*(one.whole for one in values))).by(way)


def _after(known: Way, way: Way) -> Way:
    """`way` after `known`: what only decides does so further on, and of two direct ways the stronger remains."""
    if not way.is_direct:
        return way
    return max(known, way, key=STRONGER.index) if known.is_direct else known

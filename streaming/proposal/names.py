"""The names of fields that can be columns, and those that cannot.

Data flow: JSON objects -> names kept in the order in which they come, names left out with the reason
Run: pytest tests/streaming/proposal/test_infer.py
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

NO_NAME = "is no name that a column can have: letters, digits and _"
TWICE = "differs from another field in capitals only, and SQL takes them for one"
MOST = 300
RARE = f"is rarer than {MOST} other fields: are names data here?"
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")


class Names(NamedTuple):
    """`kept`: in how many objects each is. `left_out`: why each of the others is."""

    kept: dict[str, int]
    left_out: dict[str, str]


def columns(objects: Iterable[Mapping[str, Any]]) -> Names:
    """Of two names that differ in capitals only, the commoner one is kept; of too many, the commonest."""
    counts = Counter(name for one in objects for name in one)
    best: dict[str, str] = {}
    for name, count in counts.items():
        if _NAME.fullmatch(name) and (name.lower() not in best or count > counts[best[name.lower()]]):
            best[name.lower()] = name
    fit = Counter({name: count for name, count in counts.items() if best.get(name.lower()) == name})
    common = {name for name, _ in fit.most_common(MOST)}
    kept = {name: count for name, count in fit.items() if name in common}
    return Names(kept, {name: _reason(name, name in fit) for name in counts if name not in kept})


def _reason(name: str, is_fit: bool) -> str:
    return RARE if is_fit else TWICE if _NAME.fullmatch(name) else NO_NAME

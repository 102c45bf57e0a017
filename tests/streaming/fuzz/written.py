"""JSON as it is written: a tree that can hold a name twice, and any token where a value is; and changes that know the grammar.

Data flow: JSON value -> tree -> one change -> text
Run: pytest tests/streaming/test_fuzz.py
"""

import json
from collections.abc import Callable
from random import Random
from typing import Any

Pairs = list[tuple[Any, Any]]
Place = tuple[Any, int]
"""A node with children, and which child."""


class Raw(str):
    """A token that is written as it is."""


class Object:
    """Names and values in the order in which they are written; a name may come twice."""

    def __init__(self, pairs: Pairs) -> None:
        self.children = [list(pair) for pair in pairs]


class Array:
    """Values in their order."""

    def __init__(self, values: list[Any]) -> None:
        self.children = [[None, value] for value in values]


def tree(value: Any) -> Any:
    """A decoded value as a tree."""
    if isinstance(value, dict):
        return Object([(name, tree(inside)) for name, inside in value.items()])
    return Array([tree(inside) for inside in value]) if isinstance(value, list) else value


def text(node: Any, chance: Random | None = None) -> str:
    """The tree as JSON; with `chance`, some of its letters escaped and its parts apart."""
    apart = chance.choice(("", "", " ", "\n\t", "\r\n ")) if chance else ""
    if isinstance(node, Raw):
        return str(node)
    if isinstance(node, Object):
        inside = (f"{_string(name, chance)}{apart}:{apart}{text(one, chance)}" for name, one in node.children)
        return "{" + apart + f"{apart},".join(inside) + apart + "}"
    if isinstance(node, Array):
        return "[" + f",{apart}".join(text(one, chance) for _, one in node.children) + apart + "]"
    return _string(node, chance) if isinstance(node, str) else json.dumps(node)


def _string(node: str, chance: Random | None) -> str:
    if isinstance(node, Raw):
        return str(node)
    if chance and chance.random() < 0.3:
        return '"' + "".join(_escaped(one, chance) for one in node) + '"'
    return json.dumps(node, ensure_ascii=not chance or chance.random() < 0.5)


def _escaped(letter: str, chance: Random) -> str:
    if ord(letter) < 0x10000 and chance.random() < 0.5:
        return f"\\u{ord(letter):04{chance.choice('xX')}}"
    return json.dumps(letter, ensure_ascii=False)[1:-1]


DIGITS = ("9" * 1_000, "9" * 1_001, "-" + "1" * 5_000, "7" * 100_000, "1." + "0" * 2_000, "1e" + "9" * 400)
NUMBERS = (
    "-0", "0", "-1", "1", "2", "3", "99", "100", "101", "1000", "1001", "100000000", "100000001", "1e2", "1E400",
    "-1e400", "1e-400",
    "1.0", "1.5", "0.1", "NaN", "Infinity", "-Infinity", "01", "+1", "0x1", "1_000", "1.", ".5", "1e", "--1", "2147483647",
    "2147483648", "4294967297", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809",
    "18446744073709551617", "10000000000", "10000000001", "10000000000000", "10000000000001",
)  # fmt: skip
TEXTS = (
    "", " ", "a", "A", "7", "null", "NaN", "p-1", "p-1\n", "c-7", "c-0", "c-1234567890123", "o-00000001", "EUR",
    "eur", "app", "a_b", "north",
    "north-east", "\u0000", "a\u0000b", "\ufeff", "\ufeffa", "\u2028", "\u202e", "e\u0301", "\u00e9", "\U0001f600",
    "\u0661", "\x7f",
    "'", '"', "\\", "\\ud800", "{}", "[]", '{"a":1}', "a\tb\r\n", "__debezium_unavailable_value", "paid", "NAN",
    "1.500", "infinity",
)  # fmt: skip
HALVES = (
    r'"\ud800"',
    r'"\udc00"',
    r'"\udfff\ud800"',
    r'"a\uD83D"',
    r'"\ud83d\ud83d\ude00"',
    r'"\ud83d\ude00"',
    r'"\\ud800"',
)
LENGTHS = (1, 32, 33, 99, 100, 101, 199, 200, 201, 500, 501, 20_000, 20_001, 65_536)
LETTERS = ("x", "7", "\u00e9", "\U0001f600", "\\", '"', "\u0000", " ")
OTHERS = (
    "null",
    "true",
    "false",
    "[]",
    "{}",
    '""',
    "[null]",
    '[""]',
    "[{}]",
    '{"":null}',
    '"7"',
    "7",
    '["p-1"]',
    '["p-1",null]',
)
BROKEN = (
    "",
    "nul",
    "True",
    "'a'",
    '"a',
    '"\t"',
    '"\x00"',
    '"\\x"',
    '"\\u12"',
    "[1,]",
    "{,}",
    "/**/1",
    "undefined",
    "\ufeff1",
    "\u00a01",
)


def number(chance: Random) -> Raw:
    """A number, or what looks like one."""
    return Raw(chance.choice(NUMBERS) if chance.random() < 0.9 else chance.choice(DIGITS))


def string(chance: Random) -> Any:
    """A text: odd, broken in halves, or long."""
    found = chance.random()
    if found < 0.6:
        return chance.choice(TEXTS)
    return Raw(chance.choice(HALVES)) if found < 0.8 else chance.choice(LETTERS) * chance.choice(LENGTHS)


def deep(chance: Random) -> Raw:
    """Arrays or objects inside of each other."""
    depth = chance.choice((2, 10, 998, 1_001, 3_000, 20_000))
    before, after = chance.choice((("[", "]"), ('{"a":', "}"), ("[{},", "]")))
    inside = chance.choice(("", "1")) if before == "[" else "1"
    return Raw(before * depth + inside + (after * depth if chance.random() < 0.9 else ""))


def of_any_type(chance: Random) -> Any:
    """A value of whatever type."""
    return chance.choice(
        (number, string, deep, lambda own: Raw(own.choice(OTHERS)), lambda own: Raw(own.choice(BROKEN)))
    )(chance)


def places(node: Any) -> list[Place]:
    """Every value inside."""
    found: list[Place] = []
    for at, (_, inside) in enumerate(getattr(node, "children", ())):
        found += [(node, at), *places(inside)]
    return found


def _named(node: Any) -> list[Place]:
    return [(inside, at) for inside, at in places(node) if isinstance(inside, Object)]


def replace(chance: Random, node: Any) -> None:
    """A value of another type, or an odd one of its own."""
    inside, at = chance.choice(places(node))
    own = inside.children[at][1]
    is_own = chance.random() < 0.6
    kind = (
        (number if isinstance(own, int) else string if isinstance(own, str) else of_any_type) if is_own else of_any_type
    )
    inside.children[at][1] = kind(chance)


def quote(chance: Random, node: Any) -> None:
    """A number as a text, a text without its quotes."""
    inside, at = chance.choice(places(node))
    own = inside.children[at][1]
    if isinstance(own, int):
        inside.children[at][1] = str(own)
    elif isinstance(own, str):
        inside.children[at][1] = Raw(own or "1")


def drop(chance: Random, node: Any) -> None:
    """A field or an element is left out."""
    inside, at = chance.choice(places(node))
    del inside.children[at]


def void(chance: Random, node: Any) -> None:
    """A field or an element is null."""
    inside, at = chance.choice(places(node))
    inside.children[at][1] = None


def double(chance: Random, node: Any) -> None:
    """A field or an element comes twice, with the same value or another."""
    inside, at = chance.choice(places(node))
    name, own = inside.children[at]
    more = own if chance.random() < 0.5 else of_any_type(chance)
    inside.children.insert(chance.choice((at, at + 1, len(inside.children))), [name, more])


NAMES = ("", "_corrupt", "reason", "channel", "items", "note", "ID", "event_id ", "\u0000", Raw(r'"\ud800"'),
         Raw(r'"\u0072eason"'),
         "topic decoded", "`", "a.b", "x" * 50_001, "total_cents", "currency", "lsn", "op", "after")  # fmt: skip


def rename(chance: Random, node: Any) -> None:
    """A field has another name: an odd one, another field's, its own in another case."""
    inside, at = chance.choice(_named(node))
    own = str(inside.children[at][0])
    inside.children[at][0] = chance.choice((own.upper(), f"{own} ", own[:-1], own.replace("_", "-"), *NAMES))


def add(chance: Random, node: Any) -> None:
    """A field more."""
    inside, at = chance.choice(_named(node))
    inside.children.insert(at, [chance.choice(NAMES), of_any_type(chance)])


def reorder(chance: Random, node: Any) -> None:
    """Fields or elements in another order."""
    chance.shuffle(chance.choice(places(node))[0].children)


Change = Callable[[Random, Any], None]
CHANGES: tuple[Change, ...] = (replace, replace, replace, quote, drop, void, double, rename, add, reorder)

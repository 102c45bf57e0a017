"""A value of another type than the declared one is told as one sentence, and a right one is taken as it is."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import pytest

from infra.field_types import check_fields, differing


@dataclass(frozen=True)
class Part:
    name: str


@dataclass(frozen=True)
class Other:
    number: int


@dataclass(frozen=True)
class Whole:
    parts: tuple[Part, ...] = ()
    kind: Literal["json", "avro"] = "json"
    shares: Mapping[str, tuple[str, str]] | None = None
    ask: Callable[[int], int] | None = None
    either: Part | Other = Part("a")
    is_on: bool = False


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"parts": Part("a")}, r"^whole a: `parts` should be a valid tuple, and is Part\(name='a'\) \(Part\)$"),
        (
            {"parts": (Part("a"), (Part("b"),))},
            r"^whole a: `parts\[1\]` should be an instance of Part, and is .* \(tuple\)$",
        ),
        ({"parts": [Part("a")]}, r"`parts` should be a valid tuple"),
        ({"kind": "avr"}, r"`kind` should be 'json' or 'avro', and is 'avr' \(str\)"),
        ({"shares": {"a": ("b",)}}, r"`shares\['a'\]`: Field required, and is \('b',\) \(tuple\)"),
        ({"shares": {"a": ("b", 1)}}, r"`shares\['a'\]\[1\]` should be a valid string, and is 1 \(int\)"),
        ({"shares": {1: ("b", "c")}}, r"the key 1 of `shares` should be a valid string"),
        ({"ask": 5}, r"`ask` should be callable, and is 5 \(int\)"),
        ({"either": "x"}, r"`either` should be an instance of Part or be an instance of Other, and is 'x' \(str\)"),
        ({"is_on": 1}, r"`is_on` should be a valid boolean, and is 1 \(int\)"),
        ({"is_on": "no" * 99}, r"and is 'nono.*\.\.\..*no' \(str\)$"),
    ],
)
def test_a_field_of_another_type_is_named(fields: dict[str, Any], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        check_fields(Whole(**fields), "whole a")


def test_a_right_value_is_taken_as_it_is() -> None:
    shares = {"a": ("b", "c")}
    one = Whole((Part("a"),), "avro", shares, abs, Other(1), True)
    check_fields(one, "whole a")
    assert one.shares is shares


@pytest.mark.parametrize(
    ("kind", "value", "why"),
    [
        (Mapping[str, str], {"a": "b"}, None),
        (Mapping[str, str], ["pale"], "`it` should be a valid dictionary, and is of type list"),
        (Mapping[str, str], {"a": b"pale"}, "`it['a']` should be a valid string, and is of type bytes"),
        (Sequence[Part], (Part("a"),), None),
        (Sequence[Part], [Part("a"), "pale"], "`it[1]` should be an instance of Part, and is of type str"),
        (Sequence[str], "pale", "`it`: 'str' instances are not allowed as a Sequence value, and is of type str"),
    ],
)
def test_a_value_of_another_type_is_not_shown(kind: Any, value: object, why: str | None) -> None:
    assert differing(kind, value, "it") == why

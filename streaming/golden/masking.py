"""Masking: a value becomes a pseudonym of its type and form, the same one each time, so that equal values stay equal.

Data flow: an event, the fields that its contract masks, a secret key -> the event with pseudonyms
Run: pytest tests/streaming/golden/test_masking.py
Source: format-preserving encryption by a Feistel network with cycle walking, as in NIST SP 800-38G; the key is never given away.

Letters become letters, digits digits, other signs stay: the texts of one form are permuted, again while the pseudonym breaks
a rule that the value keeps. So two values of one form have two pseudonyms. Who sees many records still sees how often each comes.
"""

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pyspark.sql.types import (
    ArrayType,
    BooleanType,
    DataType,
    DoubleType,
    FloatType,
    IntegralType,
    StringType,
    StructType,
)

from infra.failures import PermanentFailure
from streaming.contracts.contract import Contract, Rule
from streaming.golden.form import WAYS, Form, Scalar, form_of, text_of, value_of

TURNS = 8
"""Rounds of the network."""
TRIES, PROBES = 100, 64
INT, LONG = 1 << 31, 1 << 63

Holds = Callable[[Any], bool]


class Masking:
    """Pseudonyms by one key (bytes that nobody else knows)."""

    def __init__(self, key: bytes) -> None:
        self._key = key
        self._ways: dict[object, int] = {}

    def event(self, contract: Contract, event: Mapping[str, Any]) -> dict[str, Any]:
        """An event's JSON object with pseudonyms for what the contract masks, and, if it masks any, for unknown fields."""
        known = contract.schema.fieldNames()
        masked = {*contract.masked, *(name for name in event if contract.masked and name not in known)}
        return {
            name: self.value(value, holds(contract, name)) if name in masked else value for name, value in event.items()
        }

    def key(self, contract: Contract, key: str | None) -> str | None:
        """A record's key with a pseudonym, if the contract masks the field that is its key."""
        if key is None or contract.key not in contract.masked:
            return key
        is_number = isinstance(contract.payload[contract.key].dataType, IntegralType) and key.lstrip("-").isdecimal()
        return str(self.value(int(key) if is_number else key, holds(contract, contract.key)))

    def value(self, value: Any, rules: Sequence[Holds] = ()) -> Any:
        """A value of JSON: each text, number and boolean in it replaced. Keeps, and breaks, the same rules, if a try does."""
        if isinstance(value, Mapping):
            return {name: self.value(one) for name, one in value.items()}
        if isinstance(value, list):
            return [self.value(one) for one in value]
        if value is None:
            return None
        if isinstance(value, bool):
            return self._hash(b"boolean", value, 1) == 1
        form, outcome = self._form(value, rules), _outcome(value, rules)
        text = text_of(value)
        foreign = form.foreign(text).encode(errors="surrogatepass")
        tried: list[Scalar] = []
        while len(tried) < TRIES:
            text = form.text(self._place(form.number(text), form.size, foreign + str(form.signs).encode()))
            tried.append(value_of(text, value))
            if _outcome(tried[-1], rules) == outcome:
                return tried[-1]
        return tried[0]

    def _form(self, value: Scalar, rules: Sequence[Holds]) -> Form:
        """In the way in which most texts are like the value: the same for all values of a form."""
        outcome = _outcome(value, rules)
        of = form_of(value, WAYS[0]), tuple(rules), outcome
        if of not in self._ways:
            self._ways[of] = (
                max(WAYS, key=lambda way: self._share(form_of(value, way), value, rules)) if rules else WAYS[0]
            )
        return form_of(value, self._ways[of])

    def _share(self, form: Form, value: Scalar, rules: Sequence[Holds]) -> int:
        """How many of some texts of the form are like the value."""
        probes = (form.text(self._place(number % form.size, form.size, b"probe")) for number in range(PROBES))
        return sum(_outcome(value_of(text, value), rules) == _outcome(value, rules) for text in probes)

    def _place(self, number: int, size: int, tweak: bytes) -> int:
        """A permutation of the numbers below `size`."""
        half = max(1, ((size - 1).bit_length() + 1) // 2)
        while size > 1:
            left, right = number >> half, number & ((1 << half) - 1)
            for turn in range(TURNS):
                left, right = right, left ^ self._hash(tweak + bytes([turn]), right, half)
            number = left << half | right
            if number < size:
                break
        return number

    def _hash(self, tweak: bytes, value: int, bits: int) -> int:
        content = b"\0".join((self._key.hex().encode(), hex(value).encode(), tweak))
        return int.from_bytes(hashlib.shake_256(content).digest((bits + 7) // 8), "big") & ((1 << bits) - 1)


def holds(contract: Contract, field: str) -> list[Holds]:
    """What the contract's rules ask of this field alone."""
    return [rule.holds for rule in contract.all_rules if _is_about(rule, field)]  # type: ignore[misc]


def refuse(contract: Contract) -> None:
    """Raises PermanentFailure if the contract masks a field whose type has no pseudonyms."""
    for name in contract.masked:
        kind = contract.payload[name].dataType
        if not _has_pseudonyms(kind):
            raise PermanentFailure(
                f"contract {contract.topic}: masked names `{name}`, a {kind.simpleString()}: only texts, numbers, booleans, and "
                "arrays and structs of them, have pseudonyms. Leave the topic out, or carry the field as one of these"
            )


def _has_pseudonyms(kind: DataType) -> bool:
    if isinstance(kind, StructType):
        return all(_has_pseudonyms(field.dataType) for field in kind)
    if isinstance(kind, ArrayType):
        return _has_pseudonyms(kind.elementType)
    return isinstance(kind, StringType | IntegralType | BooleanType | FloatType | DoubleType)


def _is_about(rule: Rule, field: str) -> bool:
    return rule.field == field and rule.holds is not None


def _outcome(value: Scalar, rules: Sequence[Holds]) -> tuple[object, ...]:
    """How wide the value is, as a whole number, and what each rule says of it."""
    wide = None if not isinstance(value, int) else sum(not -size <= value < size for size in (INT, LONG))
    return wide, *[_asked(rule, value) for rule in rules]


def _asked(rule: Holds, value: Any) -> bool | None:
    """None if the rule cannot be asked of it: a value of another type, or a pattern that Java knows and Python does not."""
    try:
        return rule(value)
    except (TypeError, re.error):
        return None

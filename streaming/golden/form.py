"""The form of a value: which signs may stand at each place of its text, in three ways, from all to few.

Data flow: value -> Form -> the number of a text among all texts of the form, and back
Run: pytest tests/streaming/golden/test_masking.py
"""

import string
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod

DIGITS, LOWER, HEX = string.digits, string.ascii_lowercase, "abcdef"
NOT_NULL = DIGITS.removeprefix("0")
WAYS = range(3)
Scalar = str | float


@dataclass(frozen=True)
class Form:
    """`signs`: for each place of a text the signs that may stand there; one, if it stays as it is."""

    signs: tuple[str, ...]

    @property
    def size(self) -> int:
        """How many texts have the form."""
        return prod(map(len, self.signs))

    def number(self, text: str) -> int:
        """The text's place among them, from 0 on. A sign that its place does not have counts as the first."""
        found = 0
        for sign, own in zip(text, self.signs, strict=True):
            found = found * len(own) + max(own.find(sign), 0)
        return found

    def text(self, number: int) -> str:
        """The text at a place."""
        found = []
        for own in reversed(self.signs):
            number, place = divmod(number, len(own))
            found.append(own[place])
        return "".join(reversed(found))

    def foreign(self, text: str) -> str:
        """The signs of the text that their places do not have, e.g. letters with an accent."""
        return "".join(sign for sign, own in zip(text, self.signs, strict=True) if sign not in own)


def form_of(value: Scalar, way: int) -> Form:
    """Of a text in way 0 all letters and digits may change, in way 1 not the letters that it begins with, in way 2 digits only.
    Of a number its digits, in way 0 not to fewer of them; its sign, point and exponent stay.
    """
    return Form(tuple(_of_text(value, way) if isinstance(value, str) else _of_number(repr(value), way)))


def text_of(value: Scalar) -> str:
    """The text that has the form."""
    return value if isinstance(value, str) else repr(value)


def value_of(text: str, like: Scalar) -> Scalar:
    """The value that the text is, of the same type as another."""
    kind: Callable[[str], Scalar] = type(like)
    return kind(text)


def _of_text(text: str, way: int) -> Sequence[str]:
    head = next((at for at, sign in enumerate(text) if not sign.isalpha()), 0) if way == 1 else len(text) * (way == 2)
    is_hex = all(sign in string.hexdigits for sign in text[head:] if sign.isalpha())
    return [sign if at < head and sign.isalpha() else _alike(sign, is_hex) for at, sign in enumerate(text)]


def _alike(sign: str, is_hex: bool) -> str:
    if sign.isdigit():
        return DIGITS
    if not sign.isalpha():
        return sign
    lower = HEX if is_hex else LOWER
    return lower.upper() if sign.isupper() else lower


def _of_number(text: str, way: int) -> Sequence[str]:
    power, whole = text.partition("e")[0], text.lstrip("-").partition(".")[0]
    first = text.startswith("-") if way == 0 and len(whole) > 1 else -1
    return [_digit(sign, at == first) if at < len(power) else sign for at, sign in enumerate(text)]


def _digit(sign: str, is_first: bool) -> str:
    if sign not in DIGITS:
        return sign
    return NOT_NULL if is_first else DIGITS

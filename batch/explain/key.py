"""The key of a row: as people write it, as the ledger writes it, and as a command line gives it to `daybreak explain`.

Data flow: words of a command line -> values by column -> the key's JSON in reconciliation's tables
Run: daybreak explain order_totals "2026-01-31 12:00"
"""

import json
import re
import shlex
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from typing import Any

from pyspark.sql.types import (
    BooleanType,
    DataType,
    DateType,
    DecimalType,
    DoubleType,
    IntegerType,
    LongType,
    TimestampType,
)

from infra.failures import PermanentFailure
from streaming.views.view import View

Values = Mapping[str, Any]
"""By column; times are aware, in UTC."""
DAY, CLOCK = re.compile(r"\d{4}-\d\d-\d\d"), re.compile(r"\d\d?:\d\d\S*")
CONTROL = re.compile(r"\\u00([0-9a-f]{2})")


def parsed(view: View, words: Sequence[str]) -> Values:
    """The values that are asked for: of the key's JSON, of `column=value` pairs, or of bare values in the key's order.

    Pairs may name any columns of the view. Raises PermanentFailure, which says what keys look like, if the words are neither.
    """
    types = {one.name: one.dataType for one in view.schema}
    texts = _texts(view, types, words)
    return {name: _value(view, name, types[name], text) for name, text in texts.items()}


def _texts(view: View, types: Mapping[str, DataType], words: Sequence[str]) -> dict[str, Any]:
    if len(words) == 1 and words[0].lstrip().startswith("{"):
        try:
            found = json.loads(words[0])
        except ValueError:
            raise PermanentFailure(f"{words[0]!r} is no JSON object: {looks(view)}") from None
        if unknown := sorted(set(found) - set(types)):
            raise PermanentFailure(f"{view.name} has no column {unknown[0]}: {looks(view)}")
        return dict(found)
    pairs = [word.partition("=") for word in words]
    if words and all(name in types and equals for name, equals, _ in pairs):
        return {name: value for name, _, value in pairs}
    bare = _joined(words)
    if len(bare) != len(view.key):
        raise PermanentFailure(f"{' '.join(words)!r} is no key of {view.name}: {looks(view)}")
    return dict(zip(view.key, bare, strict=True))


def _joined(words: Sequence[str]) -> list[str]:
    """A day and a time behind it are one value, also without quotes."""
    found: list[str] = []
    for word in words:
        if found and DAY.fullmatch(found[-1]) and CLOCK.fullmatch(word):
            found[-1] += f" {word}"
        else:
            found.append(word)
    return found


def _value(view: View, name: str, kind: DataType, text: Any) -> Any:
    if text is None:
        return None
    try:
        if isinstance(kind, TimestampType):
            at = datetime.fromisoformat(str(text))
            return at.astimezone(UTC) if at.tzinfo else at.replace(tzinfo=UTC)
        if isinstance(kind, DateType):
            return date.fromisoformat(str(text))
        if isinstance(kind, LongType | IntegerType):
            return int(text)
        if isinstance(kind, BooleanType):
            return {"true": True, "false": False}[str(text).lower()]
    except (ValueError, KeyError):
        raise PermanentFailure(f"{text!r} is no {kind.simpleString()} for {name}: {looks(view)}") from None
    if isinstance(kind, DoubleType | DecimalType):
        raise PermanentFailure(f"{name} is a {kind.simpleString()}, by which no row can be found: {looks(view)}")
    return str(text)


def looks(view: View) -> str:
    """What keys of the view look like, for the end of a sentence."""
    kinds = {one.name: one.dataType for one in view.columns}
    own = ", ".join(f"{name} ({kinds[name].simpleString()})" for name in view.key)
    pairs = " ".join(f"{name}=..." for name in view.key)
    return f"its key is {own}, given as values in this order, as {pairs}, or as JSON"


def as_json(view: View, values: Values) -> str:
    """The key as Spark's to_json writes it in the tables of reconciliation: nulls are left out."""
    named = {name: plain(values[name]) for name in view.key if values[name] is not None}
    text = json.dumps(named, ensure_ascii=False, separators=(",", ":"))
    return CONTROL.sub(lambda found: f"\\u00{found[1].upper()}", text)


def plain(value: Any) -> Any:
    """A value as Spark's to_json writes it."""
    if isinstance(value, datetime):
        at = value.astimezone(UTC)
        return f"{at:%Y-%m-%dT%H:%M:%S}.{at.microsecond // 1000:03}Z"
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {name: plain(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    return value if isinstance(value, str | int | float | bool | None) else str(value)


def shown(value: Any) -> str:
    """A value of a key for people, that `parsed` reads again."""
    if not isinstance(value, datetime):
        return str(plain(value))
    text = value.astimezone(UTC).replace(tzinfo=None).isoformat(" ")
    return text.removesuffix("000") if value.microsecond else text.removesuffix(":00")


def command(view: View, values: Values, day: date | None = None) -> str:
    """The command line that explains the row."""
    words = [shown(values[name]) for name in view.key]
    if any(values[name] is None for name in view.key):
        words = [as_json(view, values)]
    more = ["--day", str(day)] if day else []
    return shlex.join(["daybreak", "explain", view.name, *words, *more])

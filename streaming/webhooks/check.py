"""What the stream would say of an event, at once: the contract's own rules, evaluated without Spark.

Data flow: topic, key, value, time of arrival -> the reasons for which the stream would put it into quarantine
Run: pytest tests/streaming/test_webhooks_check.py

A rule is a function of Spark's columns. Built with Spark Connect's client it is a tree of Python objects, and needs no Spark to
be read (`expressions`). Only how a text is decoded is written a second time (`json_text`); a test holds both to the stream, event
by event, for every contract. Rules that cannot be evaluated are named.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Any, cast

from pyspark.sql import functions as F

from streaming.contracts.contract import RAW, Contract
from streaming.encodings.as_json import BINARY
from streaming.reasons import Reason
from streaming.validation.rules import LAST_MILLISECOND
from streaming.validation.validate import broken_rules, decoded_column
from streaming.webhooks.json_text import BeyondLimits, NotJson, Written, event, names_of, read

if TYPE_CHECKING:
    from pyspark.sql.connect.expressions import Expression

CONNECT = "SPARK_CONNECT_MODE_ENABLED"
"""With it, Spark's functions build the columns of its Connect client."""
BUILT: "dict[str, list[tuple[Reason, Expression]]]" = {}
BUILDING = Lock()
"""Rules by topic, built one at a time."""


@dataclass(frozen=True)
class Checked:
    """`reasons` is empty for an event that breaks no rule that was checked; `not_checked`: reasons whose rules were not."""

    reasons: tuple[Reason, ...]
    not_checked: tuple[Reason, ...] = ()

    @property
    def is_valid(self) -> bool | None:
        """Would the stream take it? None: only the stream can say."""
        return False if self.reasons else None if self.not_checked else True

    @property
    def sentence(self) -> str:
        """The same for people."""
        match self.is_valid:
            case True:
                return "the stream would take it, or has it already"
            case False:
                return "the stream would put it into quarantine"
            case None:
                return (
                    "only the stream can say: sent without ?check=1, it is in silver, or in quarantine with its reasons"
                )


def check(contract: Contract, key: bytes | None, value: bytes, now_ms: int) -> Checked:
    """What the stream would find, if the event came at `now_ms`; whether it has the event already is not looked for.

    `value`: UTF-8 of at most MAX_BYTES, in a topic of JSON. The first check of a topic builds its rules, which takes a while.
    """
    # Imported here because it takes a second and 67 MB, and many a program is never asked.
    from streaming.webhooks.expressions import NotKnown
    from streaming.webhooks.expressions import value as evaluated

    try:
        row = _row(contract, key, value, now_ms)
    except (BeyondLimits, RecursionError):
        return Checked((), tuple(dict.fromkeys(reason for reason, _ in _rules(contract))))
    reasons, unknown = dict[Reason, None](), dict[Reason, None]()
    for reason, broken in _rules(contract):
        try:
            if evaluated(broken, row) is True:
                reasons[reason] = None
        except NotKnown:
            unknown[reason] = None
    return Checked(tuple(reasons), tuple(one for one in unknown if one not in reasons))


def _rules(contract: Contract) -> "list[tuple[Reason, Expression]]":
    with BUILDING:
        if contract.topic not in BUILT:
            with _connect():
                built = broken_rules(contract, F.col("found"))
            # Columns of the Connect client, which has its own class for them.
            BUILT[contract.topic] = [(reason, cast(Any, broken)._expr) for reason, broken in built]
        return BUILT[contract.topic]


@contextmanager
def _connect() -> Iterator[None]:
    before = os.environ.get(CONNECT)
    os.environ[CONNECT] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[CONNECT]
        else:
            os.environ[CONNECT] = before


def _row(contract: Contract, key: bytes | None, value: bytes, now_ms: int) -> dict[str, Any]:
    """The columns that rules read."""
    text = value.decode()
    try:
        written = read(text)
        is_json = True
    except NotJson:
        written, is_json = None, False
    is_object = isinstance(written, Written)
    nothing = dict.fromkeys(contract.schema.fieldNames()) | {"_corrupt": text}
    decoded = event(written, contract.schema, text) if is_object else nothing
    at = decoded["event_time"]
    in_range = None if at is None else 0 <= at <= LAST_MILLISECOND
    return {
        "value": value,
        "key": key,
        "arrival": now_ms,
        RAW: text,
        BINARY: None,
        decoded_column(contract): decoded,
        "in_time_range": in_range,
        "time": at if in_range else None,
        "written": written if is_object else None,
        "found": {
            "names": names_of(written),
            "is_object": is_object,
            "is_other": is_json and not is_object,
            "is_blank": not text.strip(" \t\r\n"),
        },
    }

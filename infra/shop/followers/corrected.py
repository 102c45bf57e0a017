"""A correction as its record tells it: which row of which view and day, and the record's own text.

Data flow: record of topic `corrections` -> Correction
Run: daybreak corrections
"""

import json
from typing import Any, NamedTuple


class Correction(NamedTuple):
    """`row` names the corrected row, `sequence` is the correction's place in the ledger, `text` the record as it was written:
    a number that is parsed and written again could change."""

    row: str
    sequence: int
    text: str


def read(value: bytes | None) -> Correction | None:
    """The correction in a record's value; None for a value that is none: anyone may write to a topic."""
    try:
        text = (value or b"").decode()
        said = json.loads(text)
        sequence = said["sequence"]
        if not isinstance(sequence, int) or sequence < 0:
            return None
        return Correction(row_name(said["view"], said["day"], list(said["key"].values())), sequence, text)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None


def row_name(view: str, day: str, key: list[Any]) -> str:
    """A row's name, from the values of its key in the order of the view's columns."""
    return json.dumps([view, day, *(one if isinstance(one, str) else json.dumps(one) for one in key)])

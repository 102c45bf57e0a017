"""Half characters: one of the two escapes by which JSON writes a character beyond the first 65,536, without the other.

Data flow: JSON text -> does it hold half a character?; -> the same text without any
Run: pytest tests/streaming/test_validate.py
"""

from pyspark.sql import Column
from pyspark.sql import functions as F

HIGH, LOW = r"\\u[dD][89abAB][0-9a-fA-F]{2}", r"\\u[dD][c-fC-F][0-9a-fA-F]{2}"
LONE = f"{HIGH}(?!{LOW})|(?<!{HIGH}){LOW}"


def has_lone_surrogate(text: Column) -> Column:
    """UTF-8 has no bytes for half a character: decoding would store `?` in its place."""
    return _without_backslashes(text).rlike(LONE)


def without_surrogates(text: Column) -> Column:
    """JSON of the same shape: every half, paired or not, is a question mark, and so is an escaped backslash."""
    return F.regexp_replace(_without_backslashes(text), f"{HIGH}|{LOW}", "?")


def _without_backslashes(text: Column) -> Column:
    """After this a backslash begins an escape. Pairs are taken from the left, as JSON reads them."""
    return F.replace(text, F.lit(r"\\"), F.lit("??"))

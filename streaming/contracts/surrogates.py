"""Lone surrogates: JSON escapes a character above U+FFFF as two halves (surrogates); a lone one lacks its other half.

Data flow: JSON text -> does it hold a lone surrogate?; JSON text -> the same text without surrogates
Run: pytest tests/streaming/test_validate.py
"""

from pyspark.sql import Column
from pyspark.sql import functions as F

HIGH, LOW = r"\\u[dD][89abAB][0-9a-fA-F]{2}", r"\\u[dD][c-fC-F][0-9a-fA-F]{2}"
LONE = f"{HIGH}(?!{LOW})|(?<!{HIGH}){LOW}"


def has_lone_surrogate(text: Column) -> Column:
    """Does the text hold a lone surrogate? UTF-8 cannot encode one: decoding would store `?` in its place."""
    return _without_backslashes(text).rlike(LONE)


def without_surrogates(text: Column) -> Column:
    """JSON of the same structure; every surrogate and every escaped backslash is replaced by question marks."""
    return F.regexp_replace(_without_backslashes(text), f"{HIGH}|{LOW}", "?")


def _without_backslashes(text: Column) -> Column:
    """Without escaped backslashes, so that each one left begins an escape. Pairs count from the left, as in JSON."""
    return F.replace(text, F.lit(r"\\"), F.lit("??"))

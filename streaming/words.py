"""The words of a text as a column: what `infra.words` finds, without Python.

Data flow: text column -> NFKD and case folding by ICU -> words by Unicode's word boundaries (UAX 29), as a pattern
Run: pytest tests/streaming/test_words.py
Source: Unicode Standard Annex 29, rules WB4 to WB13b, and the classes of its table 3.

ICU is on Spark's class path, but a plan can call only its functions of one text, and its word boundaries are none. So they are a
pattern here, which a test holds against the library that `infra.words` calls.
"""

from pyspark.sql import Column
from pyspark.sql import functions as F

from infra.words import ACCENTS, LETTERS_TOO, LONG, NUMBERS_TOO

# Parts of character classes. Marks and invisible characters belong to what they follow (WB4).
_SIGN = "[\\p{M}\\p{Cf}\U0001f3fb-\U0001f3ff&&[^\u200b\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2]]"
_ON = f"{_SIGN}*"
_NO_SPACES = "".join(
    f"\\p{{Is{script}}}"
    for script in "Thai Lao Khmer Myanmar Tai_Le New_Tai_Lue Tai_Tham Tai_Viet Ahom".split()  # noqa: SIM905
)
_KATAKANA = "[\\p{IsKatakana}\u3031-\u3035\u30a0\u30fc&&[^\\p{M}]]"
_NUMBER = f"[\\p{{Nd}}{NUMBERS_TOO}]"
_LETTER = (
    f"[\\p{{IsAlphabetic}}{LETTERS_TOO}&&[^\\p{{M}}\\p{{Nd}}\u19da\\p{{IsIdeographic}}\\p{{IsHiragana}}\\p{{IsKatakana}}"
    f"\u3031-\u3035\u30fc{_NO_SPACES}]]"
)
_HEBREW = "[\u05d0-\u05ea\u05ef-\u05f2]"


def _pattern() -> str:
    letter, number, katakana, joins = (f"{one}+{_ON}" for one in (_LETTER, _NUMBER, _KATAKANA, "\\p{Pc}"))
    # WB6, WB7 and WB11, WB12: one of these stands inside of a word, between letters or between digits.
    in_letters = f"['.\u2018\u2019\u00b7:\u055f\u05f4\u2027]{_ON}(?={_LETTER})"
    in_numbers = f"['.\u2018\u2019,;\u0589\u060c\u060d\u066c\u07f8\u2044]{_ON}(?={_NUMBER})"
    # WB7a to WB7c.
    behind = f"(?<={_HEBREW}{_SIGN}{{0,3}})"
    in_hebrew, after_hebrew = f'{behind}"{_ON}(?={_HEBREW})', f"{behind}'{_ON}"
    of_letters, of_numbers = f"{letter}(?:{in_letters}|{in_hebrew})?", f"{number}(?:{in_numbers})?"
    run = f"(?:(?:{of_letters}|{of_numbers})+|(?:{katakana})+)"
    whole = f"(?:{joins})*{run}(?:(?:{joins})+{run})*(?:{after_hebrew}|(?:{joins})*)"
    return f"{whole}|[\\p{{IsAlphabetic}}\\p{{N}}&&[^\\p{{M}}]]{_ON}"


WORD = _pattern()
"""A word, in Java's patterns and in those of `regex`."""


def words_of(text: str) -> Column:
    """The different words of a text; none of a null."""
    known = _decomposed(F.coalesce(text, F.lit("")))
    plain = _decomposed(F.java_method(F.lit("com.ibm.icu.lang.UCharacter"), F.lit("foldCase"), known, F.lit(True)))
    bare = F.regexp_replace(F.regexp_replace(plain, ACCENTS, ""), LONG, "$1 ")
    return F.array_distinct(F.regexp_extract_all(bare, F.lit(WORD), F.lit(0)))


def _decomposed(text: Column) -> Column:
    """In the form NFKD."""
    return F.java_method(F.lit("com.ibm.icu.text.Normalizer"), F.lit("decompose"), text, F.lit(True))

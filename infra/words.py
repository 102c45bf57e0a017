"""The words of a text, for a search: alike whatever its case, its accents, and the way its letters are composed.

Data flow: text -> NFKD, case folding, no accents -> words by Unicode's word boundaries (UAX 29)
Run: daybreak follower search mug
Source: Unicode Standard Annex 29, "Unicode Text Segmentation", by the library `regex`; UAX 15, "Normalization Forms".

`streaming.words` finds the same words inside of Spark. Accents are the marks above and below letters of many scripts, the vowel
signs of Arabic and the points of Hebrew. The vowel signs of Indic scripts and the voicing of kana are none: they make other
words. Where words have no space between them, boundaries need a dictionary: here each character of Chinese, hiragana, Thai, Lao,
Khmer and Burmese is a word, with the marks on it.
"""

import unicodedata

import regex

ACCENTS = (
    "[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"
    "\u064b-\u065f\u0670\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7]"
)
"""Blocks of combining diacritical marks, the vowel signs of Arabic, the points of Hebrew; a pattern for Java and for Python."""
LONGEST = 200
"""So many characters without a space end a word: the longer one is, the deeper Java's patterns recurse."""
LONG = f"([^ ]{{{LONGEST}}})"
_ACCENTS = regex.compile(ACCENTS)
_BOUNDARY = regex.compile(r"(?V1w)\b")
LETTERS_TOO = (
    "\u02c2-\u02c5\u02d2-\u02d7\u02de\u02df\u02e5-\u02eb\u02ed\u02ef-\u02ff\u055a-\u055c\u055e\u058a\u05f3\u070f"
    "\ua708-\ua716\ua720\ua721\ua789\ua78a\uab5b"
)
NUMBERS_TOO = "\u066b\u19da\u0600-\u0605\u06dd\u0890\u0891\u08e2"
"""What word boundaries take for letters and digits, though it is none."""
_LETTER = regex.compile(rf"(?V1)[\p{{Alphabetic}}\p{{N}}{LETTERS_TOO}{NUMBERS_TOO}\u30a0--\p{{M}}]")


def folded(text: str) -> str:
    """The text without the differences that a search ignores."""
    plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    return str(_ACCENTS.sub("", plain))


def words(text: str) -> list[str]:
    """The words of a text in their order, `folded`: what stands between word boundaries and has a letter or a digit."""
    return [part for part in _BOUNDARY.split(regex.sub(LONG, r"\1 ", folded(text))) if _LETTER.search(part)]

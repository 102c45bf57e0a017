"""A search finds what it names in every script that many people read, in the views and in the index alike."""

import random
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from infra.capture.envelope import CREATED
from infra.shop.db.changes import Change
from infra.shop.followers.product_index import ProductIndex
from infra.words import words
from streaming.words import words_of

# Of each script with at least ten million readers: what is searched, a title that has it, and one that has not.
SCRIPTS = {
    "Latin": ("cafe", "Café noir", "Cage noir"),
    "Latin, Vietnamese": ("Việt", "VIỆT NAM tea", "Vit Nam tea"),
    "Latin, German": ("straße", "STRASSE map", "strasze map"),
    "Latin, Turkish": ("istanbul", "İSTANBUL kahve", "stanbul kahve"),
    "Cyrillic": ("зеленый чай", "Чай ЗЕЛЁНЫЙ", "чайник зелёный"),
    "Greek": ("οδος", "Ὁδός και ΟΔΟΣ", "οδού"),
    "Arabic": ("شاي مصر", "شَاي مِصْرَ", "شا مصر"),
    "Arabic, Persian": ("چای", "چای سبز", "چاه سبز"),
    "Arabic, Urdu": ("چائے", "سبز چائے", "سبز چا"),
    "Hebrew": ("תה ירוק", "תֵּה יָרֹק ירוק", "תהירוק"),
    "Devanagari": ("हिन्दी", "हिन्दी चाय", "हिन्द चाय"),
    "Devanagari, Marathi": ("मराठी", "चहा मराठी", "मराठ"),
    "Bengali": ("বাংলা", "বাংলা চা", "বাংল চা"),
    "Gurmukhi": ("ਪੰਜਾਬੀ", "ਪੰਜਾਬੀ ਚਾਹ", "ਪੰਜਾਬ ਚਾਹ"),
    "Gujarati": ("ગુજરાતી", "ગુજરાતી ચા", "ગુજરાત ચા"),
    "Odia": ("ଓଡ଼ିଆ", "ଓଡ଼ିଆ ଚା", "ଓଡ ଚା"),
    "Tamil": ("தமிழ்", "தமிழ் தேநீர்", "தமழ தேநீர்"),
    "Telugu": ("తెలుగు", "తెలుగు టీ", "తలగ టీ"),
    "Kannada": ("ಕನ್ನಡ", "ಕನ್ನಡ ಚಹಾ", "ಕನನಡ ಚಹಾ"),
    "Malayalam": ("മലയാളം", "മലയാളം ചായ", "മലയള ചായ"),
    "Sinhala": ("සිංහල", "සිංහල තේ", "සහල තේ"),
    "Thai": ("ชา", "ชาเขียว", "เขียว"),
    "Lao": ("ຊາ", "ຊາຂຽວ", "ຂຽວ"),
    "Khmer": ("តែ", "តែបៃតង", "បៃតង"),
    "Burmese": ("လက်", "လက်ဖက်ရည်", "ရည်"),
    "Han, simplified": ("绿茶", "中国绿茶杯", "中国茶杯"),
    "Han, traditional": ("綠茶", "台灣綠茶", "台灣茶"),
    "Hiragana": ("おちゃ", "おちゃのみず", "おみず"),
    "Katakana": ("ガラス", "ｶﾞﾗｽ コップ", "カラス コップ"),
    "Hangul": ("한국어", "한국어 차", "한국 차"),
    "Ethiopic": ("አማርኛ", "አማርኛ ሻይ", "አማር ሻይ"),
    "Armenian": ("թեյ", "Կանաչ ԹԵՅ", "Կանաչ թե"),
    "Georgian": ("ჩაი", "მწვანე ᲩᲐᲘ", "მწვანე ჩა"),
    "digits": ("٣ 500", "500 ml ٣", "50 ml ٣"),
    "a part of a word": ("cat", "a cat's eye: cat", "concatenate"),
    "forms of compatibility": ("file", "ﬁle ① Ｆｉｌｅ", "files"),
}
FORMS = ("NFC", "NFD", "NFKC", "NFKD")
NEAR = "aé1 '.,:;_\"-אבאア゛ーあ茶ช้ाคมह्3٣\u0308\u200d\u200b’·ß\ud55cİ"
"""Signs for which word boundaries have rules."""


def texts() -> list[str]:
    chance = random.Random(6)
    known = [text for row in SCRIPTS.values() for text in row]
    mixed = ["".join(chance.choice(NEAR) for _ in range(chance.randint(1, 10))) for _ in range(3_000)]
    return known + [unicodedata.normalize(form, text) for form in FORMS for text in known] + mixed


def matches(saved: str, title: str) -> bool:
    return set(words(saved)) <= set(words(title))


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_search_finds_its_words_in_every_script(script: str) -> None:
    saved, has, has_not = SCRIPTS[script]
    for one in FORMS:
        for other in FORMS:
            assert matches(unicodedata.normalize(one, saved), unicodedata.normalize(other, has)), (one, other)
            assert not matches(unicodedata.normalize(one, saved), unicodedata.normalize(other, has_not)), (one, other)
    assert matches(saved, has.upper())


@pytest.mark.parametrize("script", SCRIPTS)
def test_the_index_finds_its_words_in_every_script(tmp_path: Path, script: str) -> None:
    saved, has, _ = SCRIPTS[script]
    title = unicodedata.normalize("NFD", has)
    row: dict[str, Any] = {"product_id": "p-1", "title": title, "brand": "x", "description": None}
    index = ProductIndex(tmp_path)
    index.apply([Change(1, CREATED, ("p-1",), None, row)], {("products", 0): 1})
    for word in unicodedata.normalize("NFC", saved).split():
        assert [one["product_id"] for one in index.search(word)] == ["p-1"]


def test_the_views_find_the_words_that_the_index_finds(spark: SparkSession) -> None:
    rows = spark.createDataFrame([(text,) for text in texts()], "text string")
    found = {row["text"]: set(row["words"]) for row in rows.select("text", words_of("text").alias("words")).collect()}
    assert [(text, own, words(text)) for text, own in found.items() if own != set(words(text))] == []


def test_no_text_stops_a_view(spark: SparkSession) -> None:
    long = ["a" * 60_000, "a." * 30_000, "a\u0483" * 30_000, "\u30a2_" * 30_000, "'" * 9_000, "\u0301" * 60_000]
    odd = [None, "", " ", "\x00", "\ufffd", *long]
    rows = spark.createDataFrame([(text,) for text in odd], "text string").select(words_of("text").alias("words"))
    found = [set(row["words"]) for row in rows.collect()]
    assert found == [set(words(text or "")) for text in odd]

"""Search on streams: every listed product is held against all saved searches in force at that moment.

Data flow: products, saved_searches as of the listing -> search_matches (a row per listing and saved search)
Run: daybreak query "SELECT words, count(*) FROM truth.search_matches GROUP BY words ORDER BY 2 DESC LIMIT 5"
Source: Kleppmann, Designing Data-Intensive Applications, chapter 11; the percolator of Elasticsearch.

Here the queries are stored, and the documents come by. A search is found by one of its words, its longest, since long ones are
rare: so a listing meets the searches whose longest word is in its title, and not all of them.
"""

from datetime import timedelta
from functools import reduce
from operator import and_

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from infra.lake.columns import column
from streaming.views.as_of import VALID_FROM, VALID_TO, versions, was_valid
from streaming.views.law import APART, ByWindow
from streaming.views.view import Events, View
from streaming.words import words_of

SIZE = timedelta(minutes=5)
FEW = 4
"""Words that most searches have at most."""


def define(events: Events) -> DataFrame:
    """One row per product listed and saved search of which all words are in its title, in any order.

    Case, accents and the composition of letters are ignored (`infra.words`). A search without a word matches nothing.
    """
    listed = (
        events["products"]
        .where(F.col("event_type") == "product_listed")
        .select("event_id", "product_id", "title", F.col("event_time").alias("listed_at"), APART)
        .withColumn("_in_title", words_of("title"))
        .withColumn("_word", F.explode("_in_title"))
    )
    saved = (
        versions(events["saved_searches"], APART, "search_id")
        .where(F.col("event_type") == "search_saved")
        .select(
            *("search_id", "customer_id", "words", F.col("event_time").alias("saved_at"), VALID_FROM, VALID_TO),
            F.col(APART).alias("_apart"),
        )
        .withColumn("_wanted", words_of("words"))
        .withColumn("_longest", longest("_wanted"))
    )
    meets = (F.col("_word") == F.col("_longest")) & (F.col(APART) == F.col("_apart")) & was_valid("listed_at")
    return listed.join(saved, meets & has_all("_in_title", "_wanted")).select(
        *("event_id", "search_id", "product_id", "title", "listed_at", "customer_id", "words", "saved_at"),
        F.lit(1).cast("long").alias("matches"),
        APART,
    )


def has_all(words: str, wanted: str) -> Column:
    """Are all wanted words among these words?

    The first few are looked up by compiled code, which ends at the first that is missing; `array_except` makes two sets for each
    pair that meets, and took a twelfth of a large night.
    """
    ahead = [F.get(wanted, F.lit(place)) for place in range(FEW)]
    are_ahead = reduce(and_, [word.isNull() | F.array_contains(words, word) for word in ahead])
    return are_ahead & ((F.size(wanted) <= FEW) | (F.size(F.array_except(wanted, words)) == 0))


def longest(words: str) -> Column:
    """The longest of some words; of two the later one by their letters. Null if there is none."""
    return F.array_max(F.transform(words, lambda word: F.struct(F.length(word), word.alias("word"))))["word"]


SEARCH_MATCHES = View(
    name="search_matches",
    description="Each product listed, with every saved search in force at that moment that it matches.",
    inputs=("products", "saved_searches"),
    define=define,
    columns=(
        column("event_id", "string", "The listing"),
        column("search_id", "string", "The saved search"),
        column("product_id", "string", "The product"),
        column("title", "string", "Its title"),
        column("listed_at", "timestamp", "When it was listed (UTC)"),
        column("customer_id", "string", "Who waits for it"),
        column("words", "string", "The words waited for"),
        column("saved_at", "timestamp", "When the search was saved (UTC)"),
        column("matches", "bigint", "1, to be summed"),
    ),
    key=("event_id", "search_id"),
    time="listed_at",
    closes="listed_at",
    reach=timedelta(0),
    measures=("matches",),
    law=ByWindow(SIZE),
    changelogs={"saved_searches": None},
)

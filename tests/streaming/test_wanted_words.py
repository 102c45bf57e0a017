"""A search of any number of words is found where all of them are, and nowhere else."""

from random import Random

from pyspark.sql import SparkSession

from streaming.shop.views.search_matches import FEW, has_all

WORDS = ("dark", "fast", "garden", "lamp", "office", "oak", "red", "table")


def test_all_wanted_words_have_to_be_there_however_many(spark: SparkSession) -> None:
    random = Random(1)
    titles = [random.sample(WORDS, random.randint(0, len(WORDS))) for _ in range(400)]
    wanted = [random.sample(title or WORDS, random.randint(1, len(title or WORDS))) for title in titles]
    # One word of each third search is another, at any place.
    for words in wanted[::3]:
        words[random.randrange(len(words))] = random.choice(WORDS)
    pairs = list(zip(titles, wanted, strict=True))
    found = spark.createDataFrame(pairs, "title array<string>, wanted array<string>").select(has_all("title", "wanted"))
    told = [is_there for (is_there,) in found.collect()]
    assert told == [set(words) <= set(title) for title, words in pairs]
    assert {True, False} == {is_there for is_there, words in zip(told, wanted, strict=True) if len(words) > FEW}

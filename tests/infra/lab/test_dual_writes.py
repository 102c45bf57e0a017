"""The dual-writes lab: its load, its index, and what it says of stores that differ."""

from pathlib import Path

from infra.lab.dual_writes import KEY_OF_THE_DEAD, WRITERS, plan
from infra.lab.dual_writes_table import Outcome, Step, Store, broken, interleaving, rows, shows
from infra.lab.search_index import SearchIndex
from infra.shop.db.check import compared

RACE = [
    Step(Store.DATABASE, 1, "k", "a"),
    Step(Store.DATABASE, 2, "k", "b"),
    Step(Store.INDEX, 2, "k", "b"),
    Step(Store.INDEX, 1, "k", "a"),
]
THERE = {("k",): {"title": "b"}, ("dead",): {"title": "x"}}


def outcome(way: str, *, index: dict[str, str], events: dict[str, str], steps: list[Step]) -> Outcome:
    told = [{(key,): {"title": title} for key, title in copy.items()} for copy in (index, events)]
    return Outcome(
        way, 3, compared("t", "the index", THERE, told[0]), compared("t", "the events", THERE, told[1]), steps
    )


OWN = outcome("own", index={"k": "a"}, events={"k": "b"}, steps=RACE)
CAPTURED = outcome("captured", index={"k": "b", "dead": "x"}, events={"k": "b", "dead": "x"}, steps=[])


def test_all_writers_meet_at_every_key_and_one_dies_in_the_middle() -> None:
    load = plan(40)
    assert [key for key, _ in load[0]].index(KEY_OF_THE_DEAD) == 20
    assert {tuple(key for key, _ in own if key != KEY_OF_THE_DEAD) for own in load} == {
        tuple(key for key, _ in load[1])
    }
    titles = [title for own in load for _, title in own]
    assert len(set(titles)) == len(titles) == 40 * WRITERS + 1


def test_the_interleaving_names_who_came_first_in_each_store() -> None:
    said = (
        "of k, writer 1 wrote 'a' to the database and then writer 2 'b'; the index had them the other way round, and says 'a' "
        "for ever"
    )
    assert interleaving(RACE, Store.INDEX) == said
    assert interleaving([*RACE, Step(Store.INDEX, 2, "k", "b")], Store.INDEX) is None
    assert interleaving(RACE, Store.EVENTS) is None


def test_the_table_counts_keys_that_differ() -> None:
    own, captured = rows([OWN, CAPTURED])
    assert (own["keys"], own["index differs"], own["events differ"]) == (2, 2, 1)
    assert (captured["index differs"], captured["events differ"]) == (0, 0)
    assert captured["hash of database"] == captured["of index"] == captured["of events"] != own["of index"]
    assert "missing from the index and the events" in shows([OWN, CAPTURED])


def test_only_what_was_captured_must_be_equal() -> None:
    assert broken([OWN, CAPTURED]) == []
    (said,) = broken([CAPTURED, OWN])[:1]
    assert said.startswith("the index does not equal the database although it was captured")


def test_the_index_has_the_newest_title_of_a_key(tmp_path: Path) -> None:
    index = SearchIndex(tmp_path)
    for key, title in (("p-1", "red mug"), ("p-2", "blue mug"), ("p-1", "green kettle"), ("p-3", "red lamp")):
        index.put(key, title)
    index.put("p-3", None)
    assert index.titles() == {"p-1": "green kettle", "p-2": "blue mug"}
    assert index.search("kettle lamp") == {"p-1": "green kettle"}
    assert index.search("nothing") == {}

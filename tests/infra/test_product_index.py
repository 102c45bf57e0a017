"""The search index of products: its rows, its position, and what a search finds."""

from pathlib import Path
from typing import Any

import tantivy

from infra.capture.envelope import CREATED, DELETED, UPDATED
from infra.shop.db.changes import Change
from infra.shop.followers.follower import Position
from infra.shop.followers.product_index import ProductIndex


def change(number: int, op: str = CREATED, lsn: int = 1, **row: Any) -> Change:
    key = (f"p-{number}",)
    own = {
        "product_id": key[0],
        "title": f"mug {number}",
        "brand": "Fjäll",
        "description": None,
        "price_cents": 1,
    } | row
    return Change(lsn, op, key, None, None if op == DELETED else own)


def at(*offsets: int) -> Position:
    return {("products", number): offset for number, offset in enumerate(offsets)}


def test_the_last_change_of_a_row_is_the_row(tmp_path: Path) -> None:
    index = ProductIndex(tmp_path)
    index.apply([change(1), change(2), change(1, UPDATED, title="red kettle"), change(2, DELETED)], at(4))
    assert {key: row["title"] for key, row in index.rows().items()} == {("p-1",): "red kettle"}
    index.apply([change(2, title="blue mug")], at(5))
    assert set(index.rows()) == {("p-1",), ("p-2",)}


def test_an_older_change_changes_nothing_not_even_after_a_deletion(tmp_path: Path) -> None:
    index = ProductIndex(tmp_path)
    index.apply([change(1, lsn=5), change(1, lsn=4, title="older"), change(2, lsn=5)], at(3))
    index.apply([change(2, DELETED, lsn=6), change(1, lsn=3, title="oldest")], at(5))
    index.apply([change(2, lsn=5, title="back again")], at(6))
    assert {key: row["title"] for key, row in index.rows().items()} == {("p-1",): "mug 1"}
    assert index.search("back oldest") == []


def test_position_and_rows_are_there_together_when_it_is_opened_again(tmp_path: Path) -> None:
    assert ProductIndex(tmp_path).position() == {}
    ProductIndex(tmp_path).apply([change(1)], at(1, 7))
    again = ProductIndex(tmp_path)
    assert (again.position(), set(again.rows())) == (at(1, 7), {("p-1",)})


def test_an_index_of_another_schema_is_built_anew(tmp_path: Path) -> None:
    older = tantivy.SchemaBuilder()
    older.add_text_field("id", stored=True)
    tantivy.Index(older.build(), path=str(tmp_path))
    index = ProductIndex.to_follow(tmp_path)
    assert index.position() == {}
    index.apply([change(1)], at(1))
    assert set(ProductIndex(tmp_path).rows()) == {("p-1",)}


def test_a_batch_that_was_not_committed_is_not_there(tmp_path: Path) -> None:
    index = ProductIndex(tmp_path)
    index.apply([change(1)], at(1))
    # As by a death in the middle of `apply`.
    index._writer.delete_documents_by_term("id", "p-1")  # type: ignore[union-attr]
    assert (index.position(), set(index.rows())) == (at(1), {("p-1",)})


def test_a_search_finds_words_of_title_brand_and_description(tmp_path: Path) -> None:
    index = ProductIndex(tmp_path)
    index.apply([change(1), change(2, title="lamp", description="warm light"), change(3, title="chair")], at(3))
    assert [row["product_id"] for row in index.search("LIGHT")] == ["p-2"]
    assert {row["product_id"] for row in index.search("mug chair")} == {"p-1", "p-3"}
    assert index.search("position") == index.search('"') == index.search("AND (") == index.search("") == []


def test_long_words_are_found_whatever_the_bytes_of_their_letters(tmp_path: Path) -> None:
    index = ProductIndex(tmp_path)
    long = ("Donaudampfschifffahrtsgesellschaftskapitän", "പാരിസ്ഥിതികപ്രശ്നങ്ങൾക്കുള്ള")
    index.apply([change(number, title=f"the {word}") for number, word in enumerate(long)], at(2))
    assert [[row["product_id"] for row in index.search(word)] for word in long] == [["p-0"], ["p-1"]]


def test_a_row_that_no_database_has_stops_nothing(tmp_path: Path) -> None:
    index = ProductIndex(tmp_path)
    odd = Change(1, CREATED, ("\ud800",), None, {"product_id": "\ud800", "title": ["x"], "brand": None})
    index.apply([odd, change(1)], at(2))
    assert len(index.rows()) == 2

"""The search index of products: found by the words of title and description, with the row as it was last.

Data flow: changes of the table `products` -> Tantivy in a folder, with the position up to which they were applied
Run: daybreak follower search mug
Source: Kleppmann, Designing Data-Intensive Applications, chapter 11: derived data systems.

Tantivy, because it is a library with a wheel: a real index with segments and commits, and no server to install. The position is a
document of the index, so one commit makes both visible or neither: after a death the follower goes on where its data is.
"""

import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import tantivy

from infra.shop.db.changes import Change, Key, Row
from infra.shop.followers.follower import Position, as_text, from_text
from infra.words import words

TABLE = "products"
MEMORY = 20_000_000
ROW, GONE, POSITION = "row", "gone", "positions"
"""Kinds of documents: a row, a row that was deleted, and up to where changes were applied."""
WORDS = ("title", "brand", "description")
"""The columns that are searched."""


def _schema() -> tantivy.Schema:
    schema = tantivy.SchemaBuilder()
    schema.add_text_field("id", stored=True, tokenizer_name="raw")
    schema.add_text_field("kind", stored=True, tokenizer_name="raw")
    # Its words are ours: those of `infra.words`, with a space between them.
    schema.add_text_field("words", tokenizer_name="whitespace")
    schema.add_text_field("row", stored=True, tokenizer_name="raw")
    schema.add_integer_field("lsn", stored=True)
    return schema.build()


def _text(value: Any) -> str:
    """As UTF-8 can write it: anyone may write to the topic."""
    return str(value).encode(errors="replace").decode()


class ProductIndex:
    """An index in a folder; a folder without one is a new index. `apply` needs to be its only writer."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._index = tantivy.Index(_schema(), path=str(folder))
        self._writer: tantivy.IndexWriter | None = None

    @classmethod
    def to_follow(cls, folder: Path) -> "ProductIndex":
        """The index of the follower. One of another schema is thrown away, for the log has all that it had: nothing is lost."""
        try:
            return cls(folder)
        except ValueError:
            shutil.rmtree(folder)
            return cls(folder)

    def apply(self, changes: Sequence[Change], position: Position) -> None:
        """Apply changes and go on to the position, in one commit. Of a key the change with the largest LSN counts."""
        if self._writer is None:
            self._writer = self._index.writer(MEMORY, 1)
        last: dict[str, Change] = {}
        for one in changes:
            (product,) = map(_text, one.key)
            if one.lsn >= (last[product].lsn if product in last else self._lsn(product)):
                last[product] = one
        for product, one in last.items():
            self._writer.delete_documents_by_term("id", product)
            text = " ".join(_text(one.after.get(name) or "") for name in WORDS) if one.after is not None else ""
            self._add(
                product, GONE if one.after is None else ROW, " ".join(words(text)), json.dumps(one.after), one.lsn
            )
        self._writer.delete_documents_by_term("kind", POSITION)
        self._add("", POSITION, "", json.dumps(as_text(position)), 0)
        self._writer.commit()

    def _add(self, product: str, kind: str, text: str, row: str, lsn: int) -> None:
        assert self._writer
        self._writer.add_document(tantivy.Document(id=product, kind=kind, words=text, row=row, lsn=lsn))

    def _lsn(self, product: str) -> int:
        """The LSN of a key's last change in the index, also of a deletion; 0 for a key that it has never had."""
        self._index.reload()
        searcher = self._index.searcher()
        hits = searcher.search(tantivy.Query.term_query(self._index.schema, "id", product), 1).hits
        return int(searcher.doc(hits[0][1])["lsn"][0]) if hits else 0

    def close(self) -> None:
        """Let another writer work."""
        if self._writer is not None:
            self._writer.wait_merging_threads()
            self._writer = None

    def position(self) -> Position:
        """Up to where changes were applied; empty for a new index."""
        found = self._found(POSITION)
        return from_text(json.loads(found[0])) if found else {}

    def rows(self) -> Mapping[Key, Row]:
        """Every row by its key."""
        rows = map(json.loads, self._found(ROW))
        return {(row["product_id"],): row for row in rows}

    def search(self, text: str, most: int = 10) -> list[Row]:
        """The rows with one of the text's words, those that fit best first. Case and accents are ignored."""
        self._index.reload()
        searcher = self._index.searcher()
        terms = [tantivy.Query.term_query(self._index.schema, "words", word) for word in words(text)]
        if not terms:
            return []
        any_of = tantivy.Query.boolean_query([(tantivy.Occur.Should, term) for term in terms])
        hits = searcher.search(any_of, most).hits
        return [json.loads(searcher.doc(address)["row"][0]) for _, address in hits]

    def _found(self, kind: str) -> list[str]:
        self._index.reload()
        searcher = self._index.searcher()
        query = tantivy.Query.term_query(self._index.schema, "kind", kind)
        hits = searcher.search(query, max(searcher.num_docs, 1)).hits
        return [searcher.doc(address)["row"][0] for _, address in hits]

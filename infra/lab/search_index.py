"""A search index in a folder: the newest title of each key, found by its words.

Data flow: key, title -> Tantivy -> titles by key; keys by words
Run: daybreak lab dual-writes

Tantivy, because it is a library with a wheel: a real index with segments and commits, and no server to install.
"""

from pathlib import Path
from threading import Lock

import tantivy

MEMORY = 15_000_000


class SearchIndex:
    """One writer at a time, like every Tantivy index; a change is visible when `put` returns."""

    def __init__(self, folder: Path) -> None:
        schema = tantivy.SchemaBuilder()
        schema.add_text_field("id", stored=True, tokenizer_name="raw")
        schema.add_text_field("title", stored=True)
        folder.mkdir(parents=True, exist_ok=True)
        self._index = tantivy.Index(schema.build(), path=str(folder))
        self._writer = self._index.writer(MEMORY, 1)
        self._lock = Lock()

    def put(self, key: str, title: str | None) -> None:
        """Set the title of a key; None removes it."""
        with self._lock:
            self._writer.delete_documents_by_term("id", key)
            if title is not None:
                self._writer.add_document(tantivy.Document(id=key, title=title))
            self._writer.commit()

    def titles(self) -> dict[str, str]:
        """Every key with its title."""
        return self._found(tantivy.Query.all_query())

    def search(self, words: str) -> dict[str, str]:
        """The keys whose titles have one of the words."""
        return self._found(self._index.parse_query(words, ["title"]))

    def _found(self, query: tantivy.Query) -> dict[str, str]:
        self._index.reload()
        searcher = self._index.searcher()
        hits = searcher.search(query, max(searcher.num_docs, 1)).hits
        documents = (searcher.doc(address) for _, address in hits)
        return {document["id"][0]: document["title"][0] for document in documents}

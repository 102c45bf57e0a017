"""After a rebuild the views are awaited until each has written under the new lineage; the ingest need not."""

from infra.cli.redefine import awaited


def progress(*written: tuple[str, str]) -> list[dict[str, str]]:
    return [{"query": query, "lineage": lineage} for query, lineage in written]


BEFORE = progress(("ingest", "b"), ("sales", "b"), ("visits", "b"), ("removed long ago", "a"))


def test_every_view_is_awaited_that_wrote_last_time() -> None:
    assert awaited(BEFORE, "b") == ["sales", "visits"]
    assert awaited([*BEFORE, *progress(("visits", "c"))], "b") == ["sales"]
    assert awaited([*BEFORE, *progress(("visits", "c"), ("sales", "c"))], "b") == []


def test_a_stream_that_never_wrote_is_not_waited_for() -> None:
    assert awaited([], "") == []

"""The cache, in a real server: its rows, its corrections, its position, and what becomes of them when somebody dies."""

import json
import subprocess
import sys
import time
from datetime import UTC, date, datetime
from typing import Any

import pytest
from cache_server import CacheServer

from batch.corrections.publish import message
from infra.capture.envelope import CREATED, DELETED, UPDATED
from infra.failures import PermanentFailure, TransientFailure
from infra.settings import ROOT, Settings
from infra.shop.db.changes import Change
from infra.shop.followers.cache_client import client
from infra.shop.followers.corrected import read, row_name
from infra.shop.followers.follower import Position
from infra.shop.followers.row_cache import RowCache
from infra.shop.services import cache as service

TABLE = "stock"


def change(number: int, op: str = CREATED, lsn: int = 1, **row: Any) -> tuple[str, Change]:
    key = (f"p-{number}", "north/east")
    own = {"product_id": key[0], "warehouse": key[1], "on_hand": 1} | row
    return TABLE, Change(lsn, op, key, None, None if op == DELETED else own)


def at(*offsets: int) -> Position:
    return {("shop.public.stock", number): offset for number, offset in enumerate(offsets)}


def on_hand(cache: RowCache) -> dict[str, int]:
    return {key[0]: row["on_hand"] for key, row in cache.rows(TABLE).items()}


def correction(sequence: int, new: str, order: str = "o-1") -> bytes:
    row = {
        "view": "totals",
        "day": date(2026, 1, 31),
        "key": json.dumps({"order_id": order, "part": 2}),
        "old": None,
        "new": new,
        **dict.fromkeys(("cause", "run", "definition"), "x"),
        "revision": 1,
        "sequence": sequence,
        "corrected_at": datetime(2026, 2, 1, tzinfo=UTC),
    }
    return message(row)[1]


def test_the_last_change_of_a_row_is_the_row(cache_server: CacheServer) -> None:
    cache = RowCache.serving(cache_server.settings)
    cache.apply([change(1), change(2), change(1, UPDATED, on_hand=7), change(2, DELETED)], [], at(4))
    assert on_hand(cache) == {"p-1": 7}
    cache.apply([change(2, on_hand=3)], [], at(5))
    assert on_hand(cache) == {"p-1": 7, "p-2": 3}
    assert cache.row(TABLE, ("p-2", "north/east")) == {"product_id": "p-2", "warehouse": "north/east", "on_hand": 3}
    assert cache.row(TABLE, ("p-2/north", "east")) is None


def test_an_older_change_changes_nothing_not_even_after_a_deletion(cache_server: CacheServer) -> None:
    cache = RowCache.serving(cache_server.settings)
    cache.apply([change(1, lsn=5), change(1, lsn=4, on_hand=4), change(2, lsn=5)], [], at(3))
    cache.apply([change(2, DELETED, lsn=6), change(1, lsn=3, on_hand=3)], [], at(5))
    cache.apply([change(2, lsn=5, on_hand=9)], [], at(6))
    assert on_hand(cache) == {"p-1": 1}


def test_position_and_rows_are_there_together_when_it_is_opened_again(cache_server: CacheServer) -> None:
    s = cache_server.settings
    assert RowCache.serving(s).position() == {}
    RowCache.serving(s).apply([change(1)], [], at(1, 7))
    assert (RowCache.serving(s).position(), on_hand(RowCache.serving(s))) == (at(1, 7), {"p-1": 1})


def test_a_server_that_lost_its_data_is_noticed(cache_server: CacheServer) -> None:
    cache = RowCache.serving(cache_server.settings)
    cache.apply([change(1)], [], at(1))
    cache_server.kill()
    with pytest.raises(TransientFailure, match="does not answer"):
        cache.position()
    cache_server.start()
    with pytest.raises(TransientFailure, match="begins anew"):
        cache.apply([change(2)], [], at(2))
    again = RowCache.serving(cache_server.settings)
    assert (again.position(), on_hand(again)) == ({}, {})


def test_a_second_writer_is_noticed(cache_server: CacheServer) -> None:
    one, other = (RowCache.serving(cache_server.settings) for _ in range(2))
    one.apply([change(1)], [], at(1))
    with pytest.raises(TransientFailure, match="not where its follower left it"):
        other.apply([change(1, lsn=0)], [], at(1))


def test_a_writer_that_is_killed_leaves_what_fits_together(cache_server: CacheServer) -> None:
    s = cache_server.settings
    for _ in range(3):
        writer = subprocess.Popen([sys.executable, "-c", WRITER, str(s.home), str(s.cache_port)], cwd=ROOT)
        before = RowCache.serving(s).position()
        give_up = time.monotonic() + 60
        while RowCache.serving(s).position() == before:
            assert time.monotonic() < give_up, "it writes nothing"
        writer.kill()
        writer.wait()
        (offset,) = RowCache.serving(s).position().values()
        assert on_hand(RowCache.serving(s)) == {f"p-{number}": offset for number in range(20)}


WRITER = """
import sys
from pathlib import Path
from infra.settings import Settings
from infra.shop.db.changes import Change
from infra.shop.followers.row_cache import RowCache
cache = RowCache.serving(Settings(home=Path(sys.argv[1]), cache_port=int(sys.argv[2]), cache_password="secret"))
offset = max(cache.position().values(), default=0)
while True:
    offset += 1
    rows = [("stock", Change(offset, "u", (f"p-{n}", "x"), None, {"on_hand": offset})) for n in range(20)]
    cache.apply(rows, [], {("shop.public.stock", 0): offset})
"""


def test_a_full_server_takes_nothing_of_a_batch_and_says_so(cache_server: CacheServer) -> None:
    cache = RowCache.serving(cache_server.settings)
    cache.apply([change(1)], [], at(1))
    with client(cache_server.settings) as own:
        own.config_set("maxmemory", "1500kb")
    with pytest.raises(PermanentFailure, match="the cache is full: it may take 32 MB"):
        fill(cache)
    (offset,) = cache.position().values()
    assert 1 < offset < 100
    assert on_hand(cache) == {f"p-{number}": 1 for number in range(1, offset + 1)}


def fill(cache: RowCache) -> None:
    for number in range(2, 100):
        cache.apply([change(number, note="x" * 50_000)], [], at(number))


def test_a_server_that_drops_rows_by_itself_is_refused(cache_server: CacheServer) -> None:
    with client(cache_server.settings) as own:
        own.config_set("maxmemory-policy", "allkeys-lru")
    with pytest.raises(PermanentFailure, match="set it to noeviction"):
        RowCache.serving(cache_server.settings)


def test_a_wrong_password_is_a_permanent_failure(cache_server: CacheServer) -> None:
    s = cache_server.settings
    wrong = Settings(home=s.home, cache_port=s.cache_port, cache_password="other")
    with pytest.raises(PermanentFailure, match="DAYBREAK_CACHE_PASSWORD"):
        RowCache.serving(wrong)


def test_one_set_serves_while_the_other_is_built(cache_server: CacheServer) -> None:
    s = cache_server.settings
    old = RowCache.serving(s)
    old.apply([change(1)], [], at(1))
    fresh = RowCache.beside(s)
    fresh.apply([change(1, on_hand=2), change(2)], [], at(2))
    old.apply([change(3)], [], at(3))
    assert on_hand(RowCache.serving(s)) == {"p-1": 1, "p-3": 1}
    fresh.serve()
    serving = RowCache.serving(s)
    assert (serving.position(), on_hand(serving)) == (at(2), {"p-1": 2, "p-2": 1})
    assert on_hand(old) == {}
    with pytest.raises(TransientFailure, match="not where its follower left it"):
        old.apply([change(4)], [], at(4))


def test_of_a_row_the_correction_with_the_largest_sequence_counts(cache_server: CacheServer) -> None:
    cache = RowCache.serving(cache_server.settings)
    told = [
        correction(7, '{"total":1}'),
        correction(9, '{"share":0.10}'),
        correction(8, "null"),
        correction(1, "{}", "o-2"),
    ]
    found = [one for one in map(read, told) if one]
    cache.apply([], found[:2], at(2))
    cache.apply([], found[2:], at(4))
    row = row_name("totals", "2026-01-31", ["o-1", "2"])
    # A number is as it was written.
    assert '"new":{"share":0.10}' in (cache.correction(row) or "")
    assert cache.correction(row_name("totals", "2026-02-01", ["o-1", "2"])) is None
    assert cache.position() == at(4)


@pytest.mark.parametrize(
    "value",
    [None, b"", b"{", b"[]", b"\xff", b"[" * 100_000, correction(1, "{}").replace(b'"sequence":1', b'"sequence":"1"'),
     b'{"view":"a","day":"b","key":[1],"sequence":1}', b'{"view":"a","day":"b","sequence":1}'],
)  # fmt: skip
def test_what_is_no_correction_is_passed_over(value: bytes | None) -> None:
    assert read(value) is None


def test_a_row_that_no_database_has_stops_nothing(cache_server: CacheServer) -> None:
    cache = RowCache.serving(cache_server.settings)
    odd = Change(1, CREATED, ("\ud800", "None"), None, {"product_id": "\ud800", "on_hand": ["x"]})
    cache.apply([(TABLE, odd), change(1)], [], at(2))
    assert len(cache.rows(TABLE)) == 2


def test_the_password_is_in_no_command_line(cache_server: CacheServer) -> None:
    s = cache_server.settings
    assert "requirepass secret" in service.configuration(s)
    assert (s.home / "cache" / "valkey.conf").stat().st_mode & 0o077 == 0
    assert not [word for word in service.program(s).command if "secret" in word]

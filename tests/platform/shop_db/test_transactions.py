"""A transaction of ten thousand rows reaches every copy. The last test of its platform: a comparison takes seconds from here."""

import pytest
from database import Database

pytestmark = pytest.mark.platform

ROWS = 10_000


def test_ten_thousand_rows_at_once_reach_every_copy(database: Database) -> None:
    (before,) = (one["rows"] for one in database.checked() if (one["table"], one["copy"]) == ("stock", "the log"))
    database.platform.run("daybreak", "shop-db", "load", "--rows", str(ROWS))
    copies = [one for one in database.checked() if one["table"] == "stock"]
    assert {one["copy"] for one in copies} >= {"the log", "the stream", "the cache"}
    assert {one["copied"] for one in copies if one["copy"] != "the night"} == {before + ROWS}
    assert database.twice() == []

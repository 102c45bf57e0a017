"""The warehouse as a follower, on a platform: it is rebuilt from the log, and says how far it has come."""

import json

import pytest
from database import Database

from infra.services.program import Name
from infra.shop.db.tables import COMPARED

pytestmark = [pytest.mark.platform, pytest.mark.soak]


def test_the_warehouse_is_rebuilt_and_says_how_far_it_is(database: Database) -> None:
    platform = database.platform
    warehouse = lambda: json.loads(platform.run("daybreak", "follower", "lag", "--json").stdout)[-1]  # noqa: E731
    database.run("INSERT INTO customers VALUES ('c-779', 'Eve Eden', 'north', NULL, now())")
    # The stream has read all.
    database.checked()
    assert (warehouse()["follower"], warehouse()["behind"] > 0) == ("warehouse", True)
    platform.run("daybreak", "up", "--only", "gateway")
    platform.run("daybreak", "follower", "rebuild", "warehouse")
    platform.supervisor().stop(Name.GATEWAY, wait=True)
    assert warehouse()["behind"] == 0
    database.run(
        "INSERT INTO stock VALUES ('p-903', 'west', 1, now())",
        "DELETE FROM customers WHERE customer_id = 'c-779'",
    )
    found = {one["table"]: one for one in database.checked() if one["copy"] == "the warehouse"}
    assert set(found) == {*COMPARED}
    assert all(one["copied"] for one in found.values())
    assert warehouse()["behind"] > 0

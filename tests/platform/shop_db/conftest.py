"""The platform of this folder captures the shop's database, and its views read customers from there. It has a day of the shop,
and its lake on the other store."""

from collections.abc import Iterator

import pytest
from database import Database
from fewer import leave_few
from running import Platform
from started import CORE, HOMES, SHOP_DB_PORTS, WORKER, started
from tutorial import copied

SHOP_DB = "connect,cache,follower-index,follower-cache"
SETTINGS = {
    "DAYBREAK_OPTIONS": "shop-db,shop-db-views",
    # The other embedded store, which older homes keep.
    "DAYBREAK_STORE": "minio",
    # So little that a connector that stands still loses its place in seconds.
    "DAYBREAK_SLOT_MB": "16",
}


@pytest.fixture(scope="session")
def platform(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Platform]:
    source = leave_few(copied(tmp_path_factory.mktemp("shop_db")), ("order_totals", "clicks_with_customer"))
    with started(HOMES / f"shop-db-{WORKER}", SHOP_DB_PORTS, source, SETTINGS, f"{CORE},{SHOP_DB}") as own:
        yield own


@pytest.fixture(scope="session")
def database(platform: Platform) -> Database:
    """With a past day's customers, products and stock, and a live moment's."""
    platform.run("daybreak", "shop", "--days", "1", "--rate", "0.02", "--live", "5")
    return Database(platform)

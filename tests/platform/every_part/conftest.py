"""The platform of this folder has three brokers, database, capture, followers, order service; gateway and Airflow on demand."""

from collections.abc import Iterator

import pytest
from database import Database
from fewer import leave_few
from running import Platform
from started import CORE, HOMES, SHOP_DB_PORTS, WORKER, started
from tutorial import copied, python

PARTS = ("connect", "cache", "follower-index", "follower-cache", "follower-orders", "order-service")
SETTINGS = {
    "DAYBREAK_OPTIONS": "shop-db,order-service",
    "DAYBREAK_KAFKA_BROKERS": "3",
    # What is sent while the stream dies again and again is read when it lives.
    "DAYBREAK_MAX_OFFSETS_PER_TRIGGER": "20000",
}


@pytest.fixture(scope="session")
def platform(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Platform]:
    source = leave_few(copied(tmp_path_factory.mktemp("every_part")))
    made = python(source, "-m", "batch.catalog")
    assert made.returncode == 0, made.stderr
    with started(HOMES / f"every-part-{WORKER}", SHOP_DB_PORTS, source, SETTINGS, ",".join((CORE, *PARTS))) as own:
        yield own


@pytest.fixture(scope="session")
def database(platform: Platform) -> Database:
    """With a live moment's customers, products and stock."""
    platform.run("daybreak", "shop", "--days", "0", "--live", "5")
    return Database(platform)

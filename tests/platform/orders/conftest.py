"""The platform of this folder has three brokers, few views, and the order service with the rows of its orders in a database that
nobody captures."""

from collections.abc import Iterator

import pytest
from fewer import leave_few
from running import VIEWS, Platform
from started import CORE, HOMES, ORDER_PORTS, WORKER, started
from tutorial import copied

SETTINGS = {"DAYBREAK_OPTIONS": "shop-db,order-service", "DAYBREAK_KAFKA_BROKERS": "3"}
PARTS = f"{CORE},order-service,follower-orders"


@pytest.fixture(scope="session")
def platform(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Platform]:
    source = leave_few(copied(tmp_path_factory.mktemp("orders")), VIEWS)
    with started(HOMES / f"orders-{WORKER}", ORDER_PORTS, source, SETTINGS, PARTS) as own:
        yield own

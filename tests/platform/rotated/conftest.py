"""The platform of this folder has every program that there is: three brokers, every option, the gateway and Airflow."""

from collections.abc import Iterator

import pytest
from fewer import leave_few
from running import VIEWS, Platform
from started import CORE, DOOR_PORTS, HOMES, WORKER, started
from tutorial import copied

from infra.options import NOTIFY, QUEUE, WEBHOOKS
from infra.services.program import Name
from infra.shop.options import ORDER_SERVICE, SHOP_DB

SETTINGS = {
    "DAYBREAK_OPTIONS": ",".join((SHOP_DB, ORDER_SERVICE, WEBHOOKS, NOTIFY, QUEUE)),
    "DAYBREAK_KAFKA_BROKERS": "3",
}
PROGRAMS = (CORE, *(name for name in Name if name not in CORE and not name.startswith("kafka")))


@pytest.fixture(scope="session")
def platform(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Platform]:
    source = leave_few(copied(tmp_path_factory.mktemp("rotated")), VIEWS)
    with started(HOMES / f"rotated-{WORKER}", DOOR_PORTS, source, SETTINGS, ",".join(PROGRAMS)) as own:
        yield own

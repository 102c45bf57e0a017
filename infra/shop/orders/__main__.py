"""The order service as a program.

Data flow: signals -> Service, until one says stop
Run: python -m infra.shop.orders
"""

import signal
from threading import Event

from infra import logs
from infra.failures import reported
from infra.kafka.login import act_as
from infra.settings import settings
from infra.shop.orders.service import Service
from infra.shop.users import ORDERS

if __name__ == "__main__":
    over = Event()
    for name in (signal.SIGTERM, signal.SIGINT):
        signal.signal(name, lambda *_: over.set())
    with reported():
        logs.begin(settings().log_format)
        act_as(ORDERS)
        Service(settings()).run(over.is_set)

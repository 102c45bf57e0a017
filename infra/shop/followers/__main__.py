"""A follower as a program.

Data flow: signals -> follow, until one says stop
Run: python -m infra.shop.followers index
"""

import signal
import sys
from threading import Event

from infra import logs
from infra.failures import PermanentFailure, reported
from infra.kafka.login import act_as
from infra.settings import settings
from infra.shop.followers.follow import follow
from infra.shop.followers.systems import system
from infra.shop.users import FOLLOWER

if __name__ == "__main__":
    over = Event()
    for name in (signal.SIGTERM, signal.SIGINT):
        signal.signal(name, lambda *_: over.set())
    with reported():
        logs.begin(settings().log_format)
        act_as(FOLLOWER)
        if len(sys.argv) != 2:
            raise PermanentFailure("usage: python -m infra.shop.followers NAME")
        follow(settings(), system(settings(), sys.argv[1]), over.is_set)

"""The search index's follower as a program.

Data flow: signals -> follow, until one says stop
Run: python -m infra.shop.followers
"""

import signal
from threading import Event

from infra.failures import reported
from infra.settings import settings
from infra.shop.followers.follow import follow

if __name__ == "__main__":
    over = Event()
    for name in (signal.SIGTERM, signal.SIGINT):
        signal.signal(name, lambda *_: over.set())
    with reported():
        follow(settings(), over.is_set)

"""Programs that do nothing although there is work: the stream, the followers, the order service, the capture.

Data flow: status files, records of the log that they have not read -> Problem per program
Run: daybreak status --problems

A program that works through a backlog moves, and one at the end of the log has nothing to do. So both must be true: its
position has not moved for `still_seconds`, and the oldest record that it has not read is older than that.
"""

import json
import time
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import psutil

from infra.durations import span
from infra.failures import PermanentFailure
from infra.kafka.partitions import partitions, unread_since
from infra.kafka.places import At
from infra.options import ORDER_SERVICE, SHOP_DB
from infra.problems import Problem
from infra.services import health
from infra.services.program import Name
from infra.settings import Settings
from infra.shop.db.rest import NAME, state
from infra.shop.followers.follower import from_text
from infra.shop.followers.systems import systems
from infra.shop.orders.commands import TOPIC
from infra.shop.orders.service import status_file


def stream(s: Settings) -> list[Problem]:
    """The stream, if its process does not run; that of a running one is told by `daybreak status`."""
    said = _said(s.home / "run" / "stream.json")
    if said and psutil.pid_exists(said["pid"]):
        return []
    return _still(s, Name.STREAM, (said.get("batch") or {}).get("finished_at", 0.0), lambda: _unread(s))


def followers(s: Settings) -> list[Problem]:
    """The followers that are on."""
    found: list[Problem] = []
    for one in systems(s).values() if s.has(SHOP_DB) else ():
        said = _said(one.status_file(s))
        oldest = partial(unread_since, from_text(said.get("position", {})), one.topics(s))
        found += _still(s, one.program, said.get("moved", 0.0), oldest)
    return found


def capture(s: Settings) -> list[Problem]:
    """The capture of the shop's database, if its worker runs without a connector: it is healthy, and captures nothing."""
    if not s.has(SHOP_DB) or health.port("127.0.0.1", s.connect_port) or state(s) != "ABSENT":
        return []
    what = f"Kafka Connect runs and has no connector {NAME}: no change of the shop's database is captured"
    return [Problem(f"capture.absent/{NAME}", what, "daybreak up, which registers it")]


def order_service(s: Settings) -> list[Problem]:
    """The order service, if it is on: commands without an answer."""
    if not s.has(ORDER_SERVICE):
        return []
    said = _said(status_file(s))
    position: dict[At, int] = {(TOPIC, int(number)): offset for number, offset in said.get("offsets", {}).items()}
    return _still(s, Name.ORDER_SERVICE, said.get("moved", 0.0), lambda: unread_since(position, [TOPIC]))


def _still(s: Settings, name: str, moved: float, oldest: Callable[[], datetime | None]) -> list[Problem]:
    now = time.time()
    if now - moved < s.still_seconds or not (first := oldest()) or now - first.timestamp() < s.still_seconds:
        return []
    lately = f"has read nothing for {span(now - moved)}" if moved else "has never read anything"
    what = f"{name} {lately}, and a record waits since {first.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"
    return [
        Problem(
            f"program.stands-still/{name}", what, f"daybreak logs {name}; then: daybreak restart {name}", since=first
        )
    ]


def _unread(s: Settings) -> datetime | None:
    try:
        return min((at.first_unread for at in partitions(s) if at.first_unread), default=None)
    except PermanentFailure:
        # The group has read nothing yet.
        return None


def _said(file: Path) -> dict[str, Any]:
    return json.loads(file.read_text()) if file.exists() else {}

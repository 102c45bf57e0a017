"""The shop's programs that do nothing although there is work: the followers, the order service, the capture.

Data flow: status files, records of the log that they have not read -> Problem per program
Run: daybreak status --problems
"""

from functools import partial

from infra.kafka.partitions import unread_since
from infra.kafka.places import At
from infra.problems import Problem
from infra.services import health
from infra.services.standing_still import said, still
from infra.settings import Settings
from infra.shop.db.rest import NAME, state
from infra.shop.followers.follower import from_text
from infra.shop.followers.systems import systems
from infra.shop.options import ORDER_SERVICE, SHOP_DB
from infra.shop.orders.commands import TOPIC
from infra.shop.orders.service import status_file
from infra.shop.services.names import ORDER_SERVICE as PROGRAM


def followers(s: Settings) -> list[Problem]:
    """The followers that are on."""
    found: list[Problem] = []
    for one in systems(s).values() if s.has(SHOP_DB) else ():
        own = said(one.status_file(s))
        oldest = partial(unread_since, from_text(own.get("position", {})), one.topics(s))
        found += still(s, one.program, own.get("moved", 0.0), oldest)
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
    own = said(status_file(s))
    position: dict[At, int] = {(TOPIC, int(number)): offset for number, offset in own.get("offsets", {}).items()}
    return still(s, PROGRAM, own.get("moved", 0.0), lambda: unread_since(position, [TOPIC]))

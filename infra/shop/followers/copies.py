"""The rows of a follower as the checker compares them: as of a moment, once it has read all that Kafka holds now.

Data flow: Follower, changes of the log since then -> rows by key
Run: daybreak shop-db check
"""

import time
from collections.abc import Callable

from infra.failures import TransientFailure
from infra.settings import Settings
from infra.shop.db.changes import Moment, changes, folded
from infra.shop.db.connector import topic
from infra.shop.db.reading import Rows
from infra.shop.followers.follower import Follower, Position, System
from infra.shop.followers.lag import behind, ends

CHECK_SECONDS = 120
LOOK_SECONDS = 0.2


def catches_up(system: System, follower: Follower, there: Position) -> None:
    """Returns when a follower has read to these ends. Raises TransientFailure if it does not in time."""
    give_up = time.monotonic() + CHECK_SECONDS
    while behind(follower.position(), there):
        if time.monotonic() > give_up:
            raise TransientFailure(
                f"follower-{system.name} has not caught up within {CHECK_SECONDS} s: daybreak follower lag"
            )
        time.sleep(LOOK_SECONDS)


def in_the(system: System, s: Settings) -> Callable[[str, Moment], Rows | None]:
    """For the checker: the rows of a table as of a moment; None for a table that the follower does not have.

    A follower has no past: keys that have changed since the moment are told as the log has them then.
    """

    def rows(table: str, at: Moment) -> Rows | None:
        if table not in system.tables:
            return None
        follower = system.opened(s)
        catches_up(system, follower, ends([topic(table)]))
        now = follower.rows(table)
        later = {one.key for one in changes(table) if not at.has(one.lsn)}
        if not later:
            return now
        before = folded(changes(table), at)
        kept = {key: row for key, row in now.items() if key not in later}
        return kept | {key: row for key, row in before.items() if key in later}

    return rows

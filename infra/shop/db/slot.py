"""The replication slot: how much of the database's log it holds back, and how much more it may.

Data flow: pg_replication_slots -> Slot
Run: daybreak lag
Source: PostgreSQL manual, "pg_replication_slots" and max_slot_wal_keep_size.

Postgres keeps its log from the last position on that the connector has confirmed. A connector that stands still fills the disk,
or, where max_slot_wal_keep_size is set, loses its place: then only a new snapshot helps.
"""

from dataclasses import dataclass

from infra.settings import Settings
from infra.shop.db.connection import connected
from infra.shop.db.tables import SLOT
from infra.shop.users import CAPTURE

AGAIN = "Take a new snapshot: daybreak shop-db snapshot"
SHORT = 0.25
"""A slot with less than this share of its limit left is short of time: it can still be saved."""


@dataclass(frozen=True)
class Slot:
    """`retained`: bytes of the log that it holds back. `left`: bytes until Postgres gives it up, None without a limit.

    `status` is Postgres's `wal_status`: reserved, extended, unreserved (about to be lost) or lost.
    """

    name: str
    active: bool
    status: str
    retained: int
    left: int | None

    @property
    def is_lost(self) -> bool:
        """Has Postgres removed log that the connector has not read?"""
        return self.status == "lost"

    @property
    def is_short(self) -> bool:
        """Will it be lost soon?"""
        return not self.is_lost and self.left is not None and self.left < SHORT * (self.retained + self.left)


def slot(s: Settings) -> Slot | None:
    """The connector's slot; None before its first start. Raises TransientFailure if the database does not answer."""
    with connected(s) as own:
        row = own.execute(
            "SELECT active, wal_status, pg_wal_lsn_diff(pg_current_wal_lsn(), coalesce(confirmed_flush_lsn, restart_lsn)), "
            "safe_wal_size FROM pg_replication_slots WHERE slot_name = %s",
            [SLOT],
        ).fetchone()
    return Slot(SLOT, row[0], row[1] or "lost", int(row[2] or 0), row[3]) if row else None


def lost(s: Settings) -> str | None:
    """None, or that the slot is lost, and what to do."""
    found = slot(s)
    if found is None or not found.is_lost:
        return None
    return f"the slot {SLOT} is lost: Postgres removed changes before they were captured. {AGAIN}"


def given_up(s: Settings) -> str | None:
    """Drop the slot of an option that is off; a sentence, if there was one."""
    if not drop(s):
        return None
    return "changes of the shop's database are captured no longer; the next time begins with a new snapshot"


def drop(s: Settings) -> bool:
    """Give the slot up, so that the log is held back no longer; True if there was one. The next start takes a new snapshot."""
    # Whose slot it is, ends it.
    with connected(s, CAPTURE) as own:
        found = own.execute("SELECT active_pid FROM pg_replication_slots WHERE slot_name = %s", [SLOT]).fetchone()
        if not found:
            return False
        if found[0]:
            own.execute("SELECT pg_terminate_backend(%s)", [found[0]])
        own.execute("SELECT pg_drop_replication_slot(%s)", [SLOT])
    return True

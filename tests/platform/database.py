"""The shop's database of a platform, as a test writes it, and what its copies say.

Data flow: SQL -> Postgres -> Debezium -> Kafka -> stream; `daybreak shop-db check` compares them
Run: pytest tests/platform/shop_db
"""

import json
import time
from collections import Counter
from dataclasses import dataclass
from typing import Any

from running import Platform

from infra.failures import TransientFailure
from infra.postgres_roles import Role
from infra.shop.db.changes import changes
from infra.shop.db.connection import connected
from infra.shop.db.tables import COMPARED

TRIES = 60


@dataclass(frozen=True)
class Database:
    """The database of `platform`."""

    platform: Platform

    def run(self, *statements: str, role: Role = Role.SHOP) -> list[Any]:
        """Run statements, each in a transaction; the rows of the last one. A server that is just starting is waited for."""
        for _ in range(TRIES):
            try:
                with connected(self.platform.settings, role) as own:
                    for statement in statements:
                        cursor = own.execute(statement)  # type: ignore[call-overload]
                return cursor.fetchall() if cursor.description else []
            except TransientFailure:
                time.sleep(1)
        raise AssertionError(f"the database did not come back within {TRIES} s")

    def checked(self) -> list[dict[str, Any]]:
        """What `shop-db check` says, of every table and copy; all are equal."""
        done = self.platform.run("daybreak", "shop-db", "check", "--json", check=False)
        assert not done.returncode, done.stderr[-2000:]
        found: list[dict[str, Any]] = json.loads(done.stdout)
        return found

    def twice(self) -> list[Any]:
        """Changes that the log has more than once."""
        told = Counter((table, one.lsn, one.op, one.key) for table in COMPARED for one in changes(table))
        return [one for one, times in told.items() if times > 1]

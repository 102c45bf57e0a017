"""The captured tables, whose columns must be those of their contracts: which migration has moved away from them.

Data flow: the shop's database, contracts -> Problem per table
Run: daybreak status --problems
"""

from infra.problems import Problem
from infra.settings import Settings
from infra.shop.db.connector import topic
from infra.shop.db.migrated import migrated
from infra.shop.db.tables import COMPARED
from infra.shop.options import SHOP_DB
from streaming.contracts import CONTRACTS


def migrations(s: Settings) -> list[Problem]:
    """Of each table that differs a problem; none while the option is off."""
    if not s.has(SHOP_DB):
        return []
    return migrated(s, {table: CONTRACTS[topic(table)].payload.fieldNames() for table in COMPARED})

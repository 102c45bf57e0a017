"""A migration of the shop's tables that changes what is captured is a problem until it is undone or followed."""

from database_server import DatabaseServer

from infra.shop.db import tables
from infra.shop.db.connection import connected
from infra.shop.db.migrated import migrated

EXPECTED = {
    "customers": ("customer_id", "name", "region", "note", "changed_at"),
    "stock": ("product_id",),
    "gone": ("id",),
}


def test_a_renamed_column_is_told_until_it_is_renamed_back(server: DatabaseServer) -> None:
    s = server.settings
    tables.create(s)
    assert migrated(s, EXPECTED) == []
    with connected(s) as own:
        own.execute("ALTER TABLE customers RENAME COLUMN note TO remark")
        (found,) = migrated(s, EXPECTED)
        assert found.id == "capture.column/customers.note"
        assert "has no column note (columns that nobody captures: remark)" in found.what
        own.execute("ALTER TABLE customers RENAME COLUMN remark TO note")
    assert migrated(s, EXPECTED) == []


def test_another_replica_identity_is_told(server: DatabaseServer) -> None:
    s = server.settings
    tables.create(s)
    with connected(s) as own:
        own.execute("ALTER TABLE stock REPLICA IDENTITY DEFAULT")
        assert [one.id for one in migrated(s, EXPECTED)] == ["capture.identity/stock"]
    # As a start of the capture does.
    tables.create(s)
    assert migrated(s, EXPECTED) == []

"""Who may do what with the embedded Postgres: every role tries everything on a running server, and who says a wrong password."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import psycopg
import pytest
from database_server import DatabaseServer
from postgres_tries import WAYS, As
from psycopg.conninfo import make_conninfo
from running import until

from infra import secrets
from infra.postgres_login import conninfo, password
from infra.postgres_rights import TRIES
from infra.postgres_roles import Role
from infra.services.audit import audit_file
from infra.services.program import Name
from infra.services.roles import ADMIN, AIRFLOW, LEASES, make
from infra.settings import Settings, load
from infra.shop.db import tables
from infra.shop.db.connection import connected
from infra.shop.doors import DATABASE as SHOP

pytestmark = pytest.mark.platform


@pytest.fixture(scope="module")
def server() -> Iterator[DatabaseServer]:
    """Made by a version that knew one role only, with tables of Airflow's and of the shop's; then it learns the others."""
    # Postgres's own user must be able to enter.
    with TemporaryDirectory(prefix="daybreak-doors-") as folder, pytest.MonkeyPatch.context() as patch:
        home = Path(folder)
        home.chmod(0o755)
        patch.setenv("DAYBREAK_HOME", folder)
        own = DatabaseServer(home)
        own.start()
        try:
            with psycopg.connect(conninfo(own.settings, Role.OWNER, AIRFLOW)) as old:
                old.execute("CREATE TABLE dag (id bigserial PRIMARY KEY, state text)")
                old.execute("CREATE TYPE state AS ENUM ('queued')")
                old.execute("CREATE VIEW dags AS SELECT id FROM dag")
            secrets.ensure(load())
            more = {role.setting: getattr(load(), role.setting) for role in Role if role is not Role.OWNER}
            own.settings = own.settings.model_copy(update=more)
            for _ in range(2):
                make(own.settings)
                tables.create(own.settings)
            with connected(own.settings) as shop:
                shop.execute("CREATE TABLE later (a int)")
            yield own
        finally:
            own.stop()


@pytest.fixture
def s(server: DatabaseServer) -> Settings:
    """Those of the server with all its roles."""
    return server.settings


def test_each_role_may_do_what_the_table_says(s: Settings) -> None:
    assert list(WAYS) == [one.what for one in TRIES]
    wrong = []
    for role in Role:
        with victim(s, Role.LEASE, LEASES), victim(s, Role.AIRFLOW, AIRFLOW):
            tried = {one: As(s, role).does(one.what) for one in TRIES}
        for one, ways in tried.items():
            wrong += [(role.value, one.what, why) for why in ways if (why is None) is not (role in one.may)]
    assert wrong == []


def test_who_was_refused_what_is_written_down(s: Settings) -> None:
    """A login, an entry into a database, a statement, and a copy of the whole server."""
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(make_conninfo(s.postgres_dsn, user="mallory", password="guessed", dbname=SHOP))
    for what in ("write the shop's tables", "enter the server's own database", "copy the whole server"):
        assert None not in As(s, Role.READER).does(what)

    def written() -> set[tuple[str, str]]:
        lines = audit_file(s, Name.POSTGRES).read_text().splitlines()
        return {(one["user"], one["refused"]) for one in map(json.loads, lines)}

    refused = {
        ("mallory", 'shop: password authentication failed for user "mallory"'),
        ("reader", "shop: permission denied for table customers"),
        ("reader", 'postgres: permission denied for database "postgres"'),
    }
    until("the refusals are written down", lambda: refused <= written(), 20)
    assert any(user == "reader" and "replication" in what for user, what in written())
    assert "guessed" not in audit_file(s, Name.POSTGRES).read_text()


def victim(s: Settings, role: Role, database: str) -> psycopg.Connection[tuple[object, ...]]:
    """A session that another role may try to end."""
    return psycopg.connect(conninfo(s, role, database), autocommit=True, application_name="victim")


def test_who_says_no_password_or_a_wrong_one_is_not_let_in(s: Settings) -> None:
    for role in Role:
        for given in ("", "wrong", password(s, Role.SHOP if role is Role.LEASE else Role.LEASE)):
            for database in (LEASES, AIRFLOW, SHOP, ADMIN):
                where = make_conninfo(s.postgres_dsn, user=role, password=given, dbname=database)
                with pytest.raises(psycopg.OperationalError, match="password"):
                    psycopg.connect(where, passfile=os.devnull)


def test_no_password_is_in_a_statement_or_a_file_of_the_server(s: Settings) -> None:
    with psycopg.connect(conninfo(s, Role.OWNER, ADMIN)) as own:
        hashes = [row[0] for row in own.execute("SELECT rolpassword FROM pg_authid WHERE rolpassword IS NOT NULL")]
    assert [one.startswith("SCRAM-SHA-256$") for one in hashes] == [True] * len(Role)
    log = b"".join(one.read_bytes() for one in (s.home / "postgres").rglob("*") if one.is_file())
    assert not [role for role in Role if role is not Role.OWNER and password(s, role).encode() in log]

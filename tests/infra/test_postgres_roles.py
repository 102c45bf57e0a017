"""Roles of the embedded Postgres: each enters its own database, is a plain login, and is who its program says.

Data flow: Settings -> a running server with its roles; what programs say to it
Run: pytest tests/infra/test_postgres_roles.py
"""

import ast
import shlex
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

import psycopg
import pytest
from database_server import DatabaseServer
from postgres_tries import As
from psycopg.conninfo import conninfo_to_dict
from pydantic import SecretStr
from sqlalchemy.engine import make_url

from infra import postgres_rights
from infra.airflow import database
from infra.commands import postgres_lines
from infra.failures import PermanentFailure
from infra.lake.lease import Lease
from infra.postgres_login import conninfo, password
from infra.postgres_roles import OWN, Role
from infra.services.roles import ADMIN, ENTERS
from infra.settings import Settings, load
from infra.settings_table import PAGE
from infra.shop.db import connection, connector
from infra.shop.doors import READERS
from infra.shop.services import connect


@pytest.fixture(scope="module")
def server() -> Iterator[DatabaseServer]:
    """With all its roles."""
    with TemporaryDirectory(prefix="daybreak-roles-") as folder:
        home = Path(folder)
        # Postgres's own user must be able to enter.
        home.chmod(0o755)
        own = DatabaseServer(home, {role.setting: SecretStr(f"of-{role}") for role in OWN})
        own.start()
        yield own
        own.stop()


@pytest.mark.slow
def test_a_role_enters_its_own_database_only(server: DatabaseServer) -> None:
    for name, enter in ENTERS.items():
        for role in enter:
            psycopg.connect(conninfo(server.settings, role, name)).close()
        for role in {*OWN} - {*enter}:
            with pytest.raises(psycopg.OperationalError, match="permission denied for database"):
                psycopg.connect(conninfo(server.settings, role, name))


@pytest.mark.slow
def test_no_role_is_more_than_a_login(server: DatabaseServer) -> None:
    more = "rolsuper OR rolcreatedb OR rolcreaterole OR rolbypassrls"
    asked = f"SELECT rolname, {more}, rolreplication FROM pg_roles WHERE rolcanlogin"
    with psycopg.connect(conninfo(server.settings, Role.OWNER, ADMIN)) as own:
        found = {name: (is_more, replicates) for name, is_more, replicates in own.execute(asked)}
    assert found == {**{role.value: (False, role is Role.CAPTURE) for role in OWN}, Role.OWNER.value: (True, True)}


@pytest.mark.slow
@pytest.mark.parametrize("what", ["copy the whole server", "write the connector's heartbeat", "read the shop's tables"])
def test_what_the_capture_needs_it_may_and_no_more(server: DatabaseServer, what: str) -> None:
    with psycopg.connect(conninfo(server.settings, Role.SHOP, "shop"), autocommit=True) as shop:
        shop.execute("CREATE TABLE IF NOT EXISTS later (a int)")
    (one,) = (one for one in postgres_rights.TRIES if one.what == what)
    for role in Role:
        assert {why is None for why in As(server.settings, role).does(what)} == {role in one.may}, role


@pytest.mark.slow
@pytest.mark.parametrize(
    "what", ["read the shop's tables", "write the shop's tables", "make or remove tables of the shop"]
)
def test_a_person_reads_and_does_nothing_else(server: DatabaseServer, what: str) -> None:
    with psycopg.connect(conninfo(server.settings, Role.SHOP, "shop"), autocommit=True) as shop:
        shop.execute("CREATE TABLE IF NOT EXISTS later (a int)")
    may = what == "read the shop's tables"
    assert {why is None for why in As(server.settings, Role.READER).does(what)} == {may}


@pytest.mark.slow
def test_people_leave_sessions_for_the_leases(server: DatabaseServer) -> None:
    with ExitStack() as stack:
        for _ in range(READERS):
            stack.enter_context(psycopg.connect(conninfo(server.settings, Role.READER, "shop")))
        with pytest.raises(psycopg.OperationalError, match="too many connections for role"):
            psycopg.connect(conninfo(server.settings, Role.READER, "shop"))


@pytest.mark.slow
@pytest.mark.parametrize("role", Role)
def test_the_lines_to_copy_log_in(server: DatabaseServer, role: Role, capsys: pytest.CaptureFixture[str]) -> None:
    said = postgres_lines.lines(server.settings, role)
    assert password(server.settings, role) not in said
    exec(said.partition("# Python")[2].partition("\n")[2].partition("# JDBC")[0], {})
    by_python = capsys.readouterr().out
    assert repr(role.value) in by_python
    (psql,) = (line for line in said.splitlines() if "bin/psql " in line)
    by_psql = subprocess.run(
        [*shlex.split(psql), "--no-password", "-Atc", "SELECT current_user, current_database()"],
        capture_output=True,
        text=True,
    )
    assert by_psql.stdout.strip().split("|") == list(ast.literal_eval(by_python)), by_psql.stderr


def test_lines_say_where_there_is_no_password(s: Settings, tmp_path: Path) -> None:
    with pytest.raises(PermanentFailure, match="daybreak up makes it"):
        postgres_lines.lines(Settings(home=tmp_path), Role.READER)
    with pytest.raises(PermanentFailure, match="DAYBREAK_POSTGRES_DSN is yours"):
        postgres_lines.lines(s.model_copy(update={"postgres_dsn": "host=db user=me"}), Role.READER)
    assert password(s, Role.READER) in postgres_lines.lines(s, Role.READER, show=True)


@pytest.mark.slow
def test_a_lease_is_its_own_roles(server: DatabaseServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("infra.lake.lease.settings", lambda: server.settings)
    with Lease("night"), psycopg.connect(conninfo(server.settings, Role.OWNER, ADMIN)) as own:
        found = own.execute("SELECT usename FROM pg_stat_activity WHERE application_name LIKE 'lease lake/night,%'")
        assert found.fetchall() == [("lease",)]


def test_each_role_has_a_password_of_its_own(s: Settings) -> None:
    assert len({password(s, role) for role in Role}) == len(Role)
    assert all(len(password(s, role)) >= 32 for role in Role)


def test_each_program_says_its_role(s: Settings) -> None:
    url = make_url(database.url(s))
    assert (url.username, url.password, url.database) == ("airflow", password(s, Role.AIRFLOW), "airflow")
    assert connection.parts(s)["user"] == "shop"
    assert connector.source(s)["database.user"] == "capture"
    assert password(s, Role.CAPTURE) not in str(connector.configuration(s)) + str(connect.properties(s))


def test_a_postgres_of_yours_is_told_what_you_say(s: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DAYBREAK_POSTGRES_DSN", "host=db user=me")
    monkeypatch.setenv("DAYBREAK_POSTGRES_PASSWORD", "mine")
    yours = load()
    said = [conninfo_to_dict(conninfo(yours, role, "daybreak")) for role in Role]
    assert said == [{"host": "db", "user": "me", "password": "mine", "dbname": "daybreak"}] * len(Role)


def test_a_password_that_java_could_misread_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DAYBREAK_POSTGRES_CAPTURE_PASSWORD", 'a"b')
    with pytest.raises(PermanentFailure, match="DAYBREAK_POSTGRES_CAPTURE_PASSWORD is wrong"):
        load()


def test_the_page_has_the_table_of_today() -> None:
    assert postgres_rights.page(PAGE.read_text()) == PAGE.read_text(), "run make catalog"

"""Postgres has the password that the settings say at its start, whatever it had before."""

from pathlib import Path
from tempfile import TemporaryDirectory

import psycopg
import pytest
from database_server import DatabaseServer
from pydantic import SecretStr

from infra.failures import TransientFailure
from infra.services import owner_password

pytestmark = pytest.mark.slow

NEW = "another-one"


def login(server: DatabaseServer, password: str) -> None:
    psycopg.connect(server.settings.postgres_dsn, password=password, dbname="postgres").close()


def test_a_new_password_holds_with_the_next_start() -> None:
    with TemporaryDirectory(prefix="daybreak-postgres-") as folder:
        home = Path(folder)
        home.chmod(0o755)
        old = DatabaseServer(home)
        old.start()
        with psycopg.connect(old.settings.postgres_dsn, password="secret", dbname="postgres", autocommit=True) as own:
            # Single-user mode is to open what the capture of changes has left, also after a death.
            own.execute("SELECT pg_create_logical_replication_slot('kept', 'pgoutput')")
        assert old.process
        old.process.kill()
        old.process.wait()
        new = DatabaseServer(home, {"postgres_password": SecretStr(NEW)})
        new.start()
        try:
            login(new, NEW)
            with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
                login(new, "secret")
        finally:
            new.stop()
        # It is told once: the server would not be found in this folder.
        owner_password.take(new.settings, home / "postgres", "daybreak", ["false"])
        changed = new.settings.model_copy(update={"postgres_password": SecretStr("third")})
        with pytest.raises(TransientFailure, match="does not take its new password"):
            owner_password.take(changed, home / "postgres", "daybreak", ["false"])

"""What every command asks of Airflow's configuration: fast, and as SQLAlchemy reads it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from pydantic import SecretStr
from sqlalchemy.engine import make_url

from infra.services.airflow import database
from infra.settings import load

HEAVY = ("pyspark", "sqlalchemy", "minio", "airflow", "pyarrow")


@pytest.mark.parametrize("host", ["127.0.0.1", "db.example", "::1"])
def test_sqlalchemy_reads_the_database_as_it_was_given(host: str) -> None:
    given = {"postgres_dsn": f"host={host} port=5433 user=day@break", "postgres_password": SecretStr("p/w:%@x")}
    found = make_url(database(load().model_copy(update=given)))
    assert (found.host, found.port, found.database) == (host, 5433, "airflow")
    assert (found.username, found.password) == ("day@break", "p/w:%@x")


def test_asking_for_the_status_loads_no_client_that_it_does_not_need(tmp_path: Path) -> None:
    """Each takes as long to import as all the rest, at each command."""
    code = (
        "import sys; sys.argv = ['daybreak', 'status']\n"
        "from batch.commands import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        f"print([name for name in {HEAVY} if name in sys.modules])"
    )
    env = {"PATH": os.environ["PATH"], "DAYBREAK_HOME": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True)
    assert done.stdout.splitlines()[-1] == "[]", done.stderr

"""Airflow's configuration is read as it was given."""

import pytest
from pydantic import SecretStr
from sqlalchemy.engine import make_url

from infra.services.airflow import database
from infra.settings import load


@pytest.mark.parametrize("host", ["127.0.0.1", "db.example", "::1"])
def test_sqlalchemy_reads_the_database_as_it_was_given(host: str) -> None:
    given = {"postgres_dsn": f"host={host} port=5433 user=day@break", "postgres_password": SecretStr("p/w:%@x")}
    found = make_url(database(load().model_copy(update=given)))
    assert (found.host, found.port, found.database) == (host, 5433, "airflow")
    assert (found.username, found.password) == ("day@break", "p/w:%@x")

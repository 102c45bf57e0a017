"""Airflow's configuration is read as it was given."""

from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr
from sqlalchemy.engine import make_url

from infra.airflow import database, users
from infra.airflow.roles import Roles
from infra.airflow_settings import AirflowUser
from infra.failures import PermanentFailure
from infra.services.airflow import environment
from infra.settings import Settings, load


def test_airflow_is_configured_while_there_is_no_ca(tmp_path: Path) -> None:
    """Half way through a rotation of the authority `daybreak down` and `up` ask for all programs."""
    s = Settings(home=tmp_path, tls="on")
    assert database.configuration(s)["SQL_ALCHEMY_CONNECT_ARGS_ASYNC"] == "infra.airflow.database.ASYNC"
    with pytest.raises(FileNotFoundError):
        database.of_asyncpg(s)


@pytest.mark.parametrize("host", ["127.0.0.1", "db.example", "::1"])
def test_sqlalchemy_reads_the_database_as_it_was_given(host: str) -> None:
    given = {"postgres_dsn": f"host={host} port=5433 user=day@break", "postgres_password": SecretStr("p/w:%@x")}
    found = make_url(database.url(load().model_copy(update=given)))
    assert (found.host, found.port, found.database) == (host, 5433, "airflow")
    assert (found.username, found.password) == ("day@break", "p/w:%@x")


def test_airflow_has_three_users_with_a_password_each(s: Settings) -> None:
    assert {one.name: one.role for one in users.logins(s)} == {"viewer": "viewer", "operator": "user", "admin": "admin"}
    assert len({one.password for one in users.logins(s)}) == 3
    assert environment(s)["AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_USERS"] == "viewer:viewer,operator:user,admin:admin"
    assert environment(s)["AIRFLOW__CORE__AUTH_MANAGER"] == f"{Roles.__module__}.{Roles.__name__}"


def test_the_command_line_is_no_admin(s: Settings) -> None:
    assert s.airflow_user == users.login(s, AirflowUser.OPERATOR).name
    assert s.airflow_password.get_secret_value() == users.login(s, AirflowUser.OPERATOR).password


def test_nobody_logs_in_without_a_password_or_under_two_roles(s: Settings) -> None:
    with pytest.raises(PermanentFailure, match=r"DAYBREAK_AIRFLOW_VIEWER_PASSWORD.*daybreak up makes them"):
        users.logins(s.model_copy(update={"airflow_viewer_password": SecretStr("")}))
    with pytest.raises(PermanentFailure, match="DAYBREAK_AIRFLOW_USER is wrong: admin is another user"):
        users.logins(s.model_copy(update={"airflow_user": "admin"}))


def test_the_lines_to_connect_show_a_password_only_when_asked(s: Settings) -> None:
    for user in AirflowUser:
        right = users.login(s, user).password
        assert right not in users.lines(s, user)
        assert right in users.lines(s, user, show=True)
        script = users.lines(s, user).partition("import httpx")[2].partition("airflow = ")[0]
        known: dict[str, Any] = {}
        exec(script, known)
        assert known["login"] == {"username": user, "password": right}

"""Who may do what with the running Airflow: every user logs in with his password and asks everything; and who has none."""

from collections.abc import Iterator
from contextlib import contextmanager

import httpx
import pytest
from running import Platform

from infra.airflow import rights, users
from infra.airflow_settings import AirflowUser

pytestmark = pytest.mark.platform

REFUSED = {401, 403}


@pytest.fixture(scope="module")
def airflow(platform: Platform) -> Platform:
    platform.run("daybreak", "up")
    return platform


@contextmanager
def logged_in(platform: Platform, user: AirflowUser) -> Iterator[httpx.Client]:
    own = users.login(platform.settings, user)
    with anybody(platform) as client:
        said = client.post("/auth/token", json={"username": own.name, "password": own.password})
        client.headers["Authorization"] = f"Bearer {said.raise_for_status().json()['access_token']}"
        yield client


def anybody(platform: Platform) -> httpx.Client:
    return httpx.Client(base_url=platform.settings.airflow_url, timeout=60, trust_env=False)


def asked(client: httpx.Client, one: rights.Try) -> list[int]:
    return [client.request(how, path, json=body).status_code for how, path, body in one.requests]


def test_each_user_may_do_what_the_table_says(airflow: Platform) -> None:
    found = []
    for user in AirflowUser:
        with logged_in(airflow, user) as client:
            found += [(user, one, asked(client, one)) for one in rights.TRIES]
    wrong = [
        (user, one.what, said)
        for user, one, said in found
        if [code in REFUSED for code in said] != [user not in one.may] * len(said)
    ]
    assert wrong == []
    assert len(found) >= 40


def test_who_is_nobody_is_not_let_in(airflow: Platform) -> None:
    with anybody(airflow) as client:
        assert {code for one in rights.TRIES for code in asked(client, one)} == {401}
        right = users.login(airflow.settings, AirflowUser.ADMIN).password
        for name, password in (("admin", ""), ("admin", right[:-1]), ("viewer", right), ("", right), ("owner", right)):
            said = client.post("/auth/token", json={"username": name, "password": password})
            assert said.status_code in (400, 401), name

"""Does a service still take a secret: the doors of what only a whole platform has.

Data flow: settings with a value in place of the one in force -> is somebody let in?
Run: pytest -m soak tests/platform/rotated
"""

import re
from collections.abc import Callable, Iterable
from typing import Any

import httpx
import jwt
import psycopg
from cryptography.fernet import Fernet, InvalidToken
from old_secrets import Tries
from pydantic import SecretStr
from pyhive import hive
from secret_search import as_owner
from thrift.transport.TTransport import TTransportException
from valkey.exceptions import AuthenticationError

from infra.failures import PermanentFailure, TransientFailure
from infra.queue.broker import broker
from infra.queue.connection import Connection
from infra.settings import Settings
from infra.shop.db import rest
from infra.shop.followers.cache_client import client
from infra.sql.users import Role

TRIED = "tried-by-rotation"
"""A variable of Airflow's: its value is encrypted."""
NO_DOOR = {"DAYBREAK_SPARK_SECRET"}
"""Of a Spark cluster, which this platform has not."""


def with_value(name: str, door: Callable[[Settings], object], *refused: type[Exception]) -> Tries:
    """Somebody who has this value in his settings goes to a door, and is let in unless one of these is raised."""

    def may(s: Settings, value: str) -> bool:
        try:
            door(s.model_copy(update={name.removeprefix("DAYBREAK_").lower(): SecretStr(value)}))
        except refused:
            return False
        return True

    return may


def of_gateway(role: Role) -> Tries:
    def may(s: Settings, value: str) -> bool:
        try:
            hive.connect(
                s.gateway_host, port=s.gateway_port, username=role.value, password=value, auth="CUSTOM"
            ).close()
        except TTransportException:
            return False
        return True

    return may


def of_connect(s: Settings, value: str) -> bool:
    status = rest.asked(s.model_copy(update={"connect_password": SecretStr(value)}), "GET", name="").status_code
    assert status in (200, 401), status
    return status == 200


def login(s: Settings, user: str, password: str) -> httpx.Response:
    """Airflow's answer to somebody who logs in."""
    said = {"username": user, "password": password}
    return httpx.post(f"{s.airflow_url}/auth/token", json=said, timeout=30, trust_env=False)


def token(s: Settings, user: str = "", password: str = "") -> str:
    """What Airflow gives to somebody who has logged in; by default as who may write a variable."""
    admin = getattr(s, "airflow_admin_password", None)
    by_default = ("admin", admin or s.airflow_password)
    answer = login(s, user or by_default[0], password or by_default[1].get_secret_value()).raise_for_status()
    return str(answer.json()["access_token"])


def of_airflow(user: str | None) -> Tries:
    """By default the user that the command line logs in as."""

    def may(s: Settings, value: str) -> bool:
        status = login(s, user or s.airflow_user, value).status_code
        assert status in (200, 201, 401), status
        return status != 401

    return may


def of_pages(s: Settings, value: str) -> bool:
    """The stream's page, which is Spark's."""
    status = httpx.get(f"http://127.0.0.1:{s.stream_ui_port}/jobs/", auth=("owner", value), trust_env=False).status_code
    assert status in (200, 401, 403), status
    return status == 200


def asked(s: Settings, of: str, method: str = "GET", path: str = "variables", **more: Any) -> httpx.Response:
    """Airflow's answer to somebody with this token."""
    own = {"Authorization": f"Bearer {of}"}
    return httpx.request(method, f"{s.airflow_url}/api/v2/{path}", headers=own, timeout=30, trust_env=False, **more)


def of_tokens(s: Settings, value: str) -> bool:
    """A token that somebody has signed himself with this secret."""
    own = token(s)
    says, how = jwt.decode(own, options={"verify_signature": False}), jwt.get_unverified_header(own)
    status = asked(s, jwt.encode(says, value, algorithm=how["alg"])).status_code
    assert status in (200, 401, 403), status
    return status == 200


def of_encryption(s: Settings, value: str) -> bool:
    """Can what Airflow's database has encrypted be read with this key?"""
    with psycopg.connect(as_owner(s, "airflow")) as connection:
        (kept,) = connection.execute("SELECT val FROM variable WHERE key = %s", [TRIED]).fetchone() or ("",)
    try:
        return Fernet(value).decrypt(kept.encode()) == TRIED.encode()
    except InvalidToken:
        return False


def others(names: Iterable[str]) -> dict[str, Tries]:
    """Those of these secrets that belong to services which not every platform has."""
    found: dict[str, Tries] = {}
    for name in names:
        if user := re.fullmatch(r"DAYBREAK_AIRFLOW_(?:(\w+)_)?PASSWORD", name):
            found[name] = of_airflow(user[1].lower() if user[1] else None)
    if "DAYBREAK_SPARK_UI_PASSWORD" in names:
        found["DAYBREAK_SPARK_UI_PASSWORD"] = of_pages
    return found | {
        **{f"DAYBREAK_GATEWAY_{role.upper()}_PASSWORD": of_gateway(role) for role in Role},
        "DAYBREAK_CACHE_PASSWORD": with_value(
            "DAYBREAK_CACHE_PASSWORD", lambda s: client(s).ping(), AuthenticationError
        ),
        "DAYBREAK_CONNECT_PASSWORD": of_connect,
        "DAYBREAK_QUEUE_PASSWORD": with_value(
            "DAYBREAK_QUEUE_PASSWORD", lambda s: Connection(broker(s)).close(), PermanentFailure, TransientFailure
        ),
        "DAYBREAK_AIRFLOW_JWT_SECRET": of_tokens,
        "DAYBREAK_AIRFLOW_FERNET_KEY": of_encryption,
    }

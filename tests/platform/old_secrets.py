"""Does a service still take a secret? Each generated secret is tried at its own door.

Data flow: settings, the name and a value of a generated secret -> is somebody let in who says it?
Run: pytest tests/platform/test_10_rotated.py
"""

import os
import re
import signal
import subprocess
import xmlrpc.client
from collections.abc import Callable, Iterable, Mapping

import psycopg
import pytest
from kafka_wire import refusal
from minio import Minio, S3Error
from running import Platform, until

from infra.kafka_users import User
from infra.secrets import secrets_file, written
from infra.services import configuration
from infra.settings import Settings, load

Tries = Callable[[Settings, str], bool]
"""Is somebody let in who says this value?"""


def of_kafka(user: User) -> Tries:
    return lambda s, value: refusal(s.kafka_port, user, value) is None


def of_store(name: str) -> Tries:
    """With the access key that belongs to it."""

    def may(s: Settings, value: str) -> bool:
        key = written(secrets_file(s.home))[name.replace("SECRET_KEY", "ACCESS_KEY")]
        client = Minio(s.s3_endpoint.split("//")[1], key, value, secure=False, region=s.s3_region)
        try:
            next(iter(client.list_objects(s.bucket)), None)
        except S3Error as refused:
            return refused.code != "SignatureDoesNotMatch"
        return True

    return may


def of_postgres(role: str) -> Tries:
    def may(s: Settings, value: str) -> bool:
        try:
            psycopg.connect(s.postgres_dsn, user=role, password=value, dbname="daybreak").close()
        except psycopg.OperationalError as refused:
            # Whom it knows it may still not let into this database.
            return "password authentication failed" not in str(refused)
        return True

    return may


def of_supervisor(s: Settings, value: str) -> bool:
    door = f"http://{configuration.USER}:{value}@127.0.0.1:{s.supervisor_port}/RPC2"
    try:
        xmlrpc.client.ServerProxy(door).supervisor.getState()
    except xmlrpc.client.ProtocolError as refused:
        return refused.errcode != 401
    return True


def core(names: Iterable[str]) -> dict[str, Tries]:
    """Those of these secrets that belong to services that every platform has."""
    found: dict[str, Tries] = {}
    for name in names:
        if name.endswith("S3_SECRET_KEY"):
            found[name] = of_store(name)
        elif role := re.fullmatch(r"DAYBREAK_POSTGRES_(?:(\w+)_)?PASSWORD", name):
            found[name] = of_postgres(role[1].lower() if role[1] else "daybreak")
    kafka = {f"DAYBREAK_{user.setting.upper()}": of_kafka(user) for user in User}
    return found | {"DAYBREAK_SUPERVISOR_PASSWORD": of_supervisor} | kafka


def taken(s: Settings, tries: Mapping[str, Tries], secrets: Mapping[str, str]) -> set[str]:
    """The settings whose values, of these, let somebody in."""
    return {name for name, may in tries.items() if may(s, secrets[name])}


def enter(platform: Platform, patch: pytest.MonkeyPatch) -> None:
    """From here on this process reads the settings of this platform, whichever was started last."""
    for name in [name for name in os.environ if name.startswith("DAYBREAK_")]:
        patch.delenv(name)
    for name, value in platform.env.items():
        if name.startswith("DAYBREAK_"):
            patch.setenv(name, value)


def afresh(platform: Platform) -> Platform:
    """The same platform, as its settings are by now."""
    return Platform(load(), platform.env, None, platform.source)


def killed_at(platform: Platform, place: str) -> None:
    """A rotation that is killed at this failpoint."""
    platform.hold(place)
    with platform.begin("daybreak", "secrets", "rotate") as rotation:
        until(f"the rotation stands at {place}", lambda: _reached(platform, place, rotation), 300)
        os.killpg(rotation.pid, signal.SIGKILL)
    platform.release(place)


def killed_when(platform: Platform, what: str, found: Callable[[], object]) -> None:
    """A rotation that is killed when something is so."""
    with platform.begin("daybreak", "secrets", "rotate") as rotation:
        until(what, lambda: found() or _ended(rotation), 300)
        os.killpg(rotation.pid, signal.SIGKILL)


def _reached(platform: Platform, place: str, rotation: subprocess.Popen[str]) -> bool:
    _ended(rotation)
    return (platform.settings.home / "failpoints" / f"{place}.reached").exists()


def _ended(rotation: subprocess.Popen[str]) -> bool:
    assert rotation.poll() is None, rotation.communicate()
    return False

"""The lock file of a Postgres that went down with its machine, when its process id belongs to another program."""

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

from infra import secrets
from infra.postgres_login import conninfo
from infra.postgres_roles import Role
from infra.services import postgres
from infra.services.program import Program
from infra.settings import Settings, load
from infra.tls.prepare import prepare

LIMIT_SECONDS = 60


@pytest.fixture
def other() -> Iterator[int]:
    """The process id of another program of the server's user."""
    who = ("setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups") if os.geteuid() == 0 else ()
    with subprocess.Popen([*who, "sleep", "600"]) as process:
        yield process.pid
        process.kill()


@pytest.mark.slow
def test_data_stays_when_tls_is_turned_on_and_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is another server then, of the same version."""
    monkeypatch.setenv("DAYBREAK_HOME", str(tmp_path))
    monkeypatch.setenv("DAYBREAK_PORT_BASE", "27560")
    secrets.ensure(load())
    rows, encrypted = [], []
    for number, tls in enumerate(("off", "on", "off")):
        monkeypatch.setenv("DAYBREAK_TLS", tls)
        s = load()
        postgres.fetch(s)
        prepare(s)
        with started(postgres.program(s)), psycopg.connect(conninfo(s, Role.OWNER, "postgres")) as own:
            own.execute("CREATE TABLE IF NOT EXISTS kept (n int PRIMARY KEY)")
            own.execute("INSERT INTO kept VALUES (%s)", [number])
            rows.append(own.execute("SELECT count(*) FROM kept").fetchone())
            encrypted.append(own.pgconn.ssl_in_use)
    assert rows == [(1,), (2,), (3,)]
    assert encrypted == [False, True, False]


@contextmanager
def started(program: Program) -> Iterator[subprocess.Popen[bytes]]:
    """The server, prepared and awaited; stopped at the end of the block."""
    program.prepare()
    server = subprocess.Popen(program.command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        give_up = time.monotonic() + LIMIT_SECONDS
        while program.waits_for(server.pid) is not None:
            assert server.poll() is None
            assert time.monotonic() < give_up
            time.sleep(0.1)
        yield server
    finally:
        server.send_signal(signal.SIGINT)
        server.wait()


@pytest.mark.slow
def test_a_server_starts_though_its_old_process_id_is_in_use(
    other: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DAYBREAK_HOME", str(tmp_path))
    monkeypatch.setenv("DAYBREAK_PORT_BASE", "27540")
    secrets.ensure(load())
    s: Settings = load()
    program = postgres.program(s)
    program.prepare()
    (tmp_path / "postgres" / "postmaster.pid").write_text(f"{other}\n{tmp_path}/postgres\n")
    with started(program) as server:
        program.prepare()
        assert (tmp_path / "postgres" / "postmaster.pid").read_text().startswith(f"{server.pid}\n")


def test_the_lock_of_a_server_on_this_folder_stays(tmp_path: Path) -> None:
    data, elsewhere = tmp_path / "data", tmp_path / "elsewhere"
    sleep = shutil.copy(shutil.which("sleep") or "", tmp_path / "postgres")
    for folder in (data, elsewhere):
        folder.mkdir()
        process = subprocess.Popen([sleep, "600"], cwd=folder)
        try:
            (data / "postmaster.pid").write_text(f"{process.pid}\n")
            postgres.drop_stale_lock(data)
            assert (data / "postmaster.pid").exists() == (folder == data)
        finally:
            process.kill()
            process.wait()


@pytest.mark.parametrize("left", ["", "no number\n", "999999999\n"])
def test_a_lock_that_names_no_process_goes(left: str, tmp_path: Path) -> None:
    (tmp_path / "postmaster.pid").write_text(left)
    postgres.drop_stale_lock(tmp_path)
    assert not (tmp_path / "postmaster.pid").exists()

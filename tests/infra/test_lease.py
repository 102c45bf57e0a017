"""A writer that stood still while its lease was lost writes nothing when it wakes; one that is only slow keeps its lease."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import lease_holder
import psycopg
import pytest
from database_server import DatabaseServer
from lease_holder import TABLE, write

from infra import in_force
from infra.failures import PermanentFailure, TransientFailure
from infra.lake import arrow_tables, lease, spark_tables
from infra.postgres_login import conninfo
from infra.postgres_roles import Role
from infra.services.roles import ADMIN
from infra.settings import ROOT

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    own = DatabaseServer(tmp_path_factory.mktemp("leases"))
    own.start()
    yield conninfo(own.settings, Role.OWNER, ADMIN)
    own.stop()


class Other:
    """Another process that holds the lease."""

    def __init__(self, database: str, lake: Path, *flags: str) -> None:
        command = [sys.executable, lease_holder.__file__, database, str(lake), *flags]
        env = os.environ | {"PYTHONPATH": str(ROOT)}
        self.database = database
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=env)
        assert self.said() == "holds"

    def tell(self, line: str) -> None:
        assert self.process.stdin
        self.process.stdin.write(f"{line}\n")
        self.process.stdin.flush()

    def said(self) -> str:
        assert self.process.stdout
        return self.process.stdout.readline().strip()

    def stop(self, ends: bool) -> None:
        """It stands still; with `ends` its session ends meanwhile, as after a restart of the database."""
        self.process.send_signal(signal.SIGSTOP)
        if ends:
            with psycopg.connect(self.database, autocommit=True) as own:
                query = (
                    "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE application_name LIKE 'lease%'"
                )
                assert own.execute(query).fetchall() == [(True,)]

    def wake(self) -> None:
        self.process.send_signal(signal.SIGCONT)

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate()


@pytest.fixture
def lake(database: str, local_lake: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(lease, "conninfo", lease.conninfo)
    monkeypatch.setattr(lease, "settings", lease_holder.of(database, str(local_lake)))
    spark_tables.create(None, TABLE)  # type: ignore[arg-type]
    return local_lake


@pytest.fixture
def others() -> Iterator[list[Other]]:
    found: list[Other] = []
    yield found
    for one in found:
        one.kill()


def values() -> list[int]:
    return sorted(arrow_tables.read(TABLE)["value"].to_pylist())


@pytest.mark.parametrize("how", ["append", "replace"])
def test_who_wakes_without_its_lease_writes_nothing(how: str, database: str, lake: Path, others: list[Other]) -> None:
    others.append(first := Other(database, lake))
    first.tell(f"{how} 1")
    assert first.said() == "written"
    first.stop(ends=True)
    with lease.Lease(lease_holder.NAME):
        write(how, 2, "second")
    first.tell(f"{how} 3")
    first.wake()
    assert "the lease 'lake/stream' is lost" in first.said()
    assert values() == ([1, 2] if how == "append" else [2])


@pytest.mark.parametrize("how", ["append", "replace"])
def test_the_log_refuses_who_stood_still_just_before_its_commit(
    how: str, database: str, lake: Path, others: list[Other]
) -> None:
    others.append(first := Other(database, lake, "stops"))
    first.tell(f"{how} 1\n")
    assert [first.said(), first.said()] == ["asked", "written"]
    first.tell(f"{how} 3")
    assert first.said() == "asked"
    first.stop(ends=True)
    with lease.Lease(lease_holder.NAME):
        write(how, 2, "second")
    first.tell("")
    first.wake()
    assert first.said().startswith("silver/leased was not written: ")
    assert values() == ([1, 2] if how == "append" else [2])


def test_who_stands_still_keeps_its_lease_and_is_named(database: str, lake: Path, others: list[Other]) -> None:
    others.append(first := Other(database, lake))
    first.stop(ends=False)
    with pytest.raises(PermanentFailure, match=f"process {first.process.pid} on .*, since 20"), lease.Lease("stream"):
        pass
    first.tell("append 3")
    first.wake()
    assert first.said() == "written"


def test_a_lease_that_is_given_back_binds_nobody(database: str, lake: Path) -> None:
    with lease.Lease("stream") as own, lease.Lease("night"):
        assert lease.still_held() == ["lake/stream", "lake/night"]
        write("append", 1, "second")
        assert own._connection
        own._connection.close()
        with pytest.raises(TransientFailure, match="is lost"):
            write("append", 2, "second")
    assert lease.still_held() == []
    write("append", 2, "second")


def test_who_waited_while_another_lake_was_promoted_writes_nothing(lake: Path) -> None:
    places = dict.fromkeys(in_force.NAMES, "lake")
    in_force.enforce(lake, places)
    with lease.Lease("night"):
        pass
    in_force.enforce(lake, {**places, "bucket": "lake-2"})
    with pytest.raises(TransientFailure, match="another lake than 'lake' was promoted"), lease.Lease("night"):
        pass
    assert lease.still_held() == []


def test_a_holder_whose_machine_is_gone_loses_its_lease_in_time(lake: Path) -> None:
    """The server asks an idle client by itself; without this it would for the first time after two hours."""
    with lease.Lease("stream") as own:
        assert own._connection
        told = {name: own._connection.execute(f"SHOW {name}").fetchone() for name in lease.OF_SERVER}
        known = own._connection.info.get_parameters()
    first, again, count = (int(told[name][0]) for name in lease.TIMES)  # type: ignore[index,call-overload]
    assert first + again * count <= lease.GONE_SECONDS
    assert told["idle_session_timeout"] == ("0",)
    assert {name: known[name] for name in lease.OF_CLIENT} == {name: str(by) for name, by in lease.OF_CLIENT.items()}

"""Supervisor on small programs of our own: start, restart, give up, stop, leave nothing."""

import json
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from infra import secrets
from infra.failures import PermanentFailure, TransientFailure
from infra.services import configuration, launch, processes, start
from infra.services.program import Name, Program
from infra.services.status import Condition, status
from infra.services.supervisor import Supervisor
from infra.settings import Settings, load

pytestmark = pytest.mark.slow

SLEEP = (sys.executable, "-c", "import time; time.sleep(600)")
WITH_CHILD = (
    sys.executable,
    "-c",
    "import subprocess, sys; subprocess.run([sys.executable, '-c', 'import signal; signal.pause()'])",
)
LIMIT_SECONDS = 20


def _quiet(what: str) -> None:
    """Say nothing."""


def _until(condition: Callable[[], bool]) -> None:
    give_up = time.monotonic() + LIMIT_SECONDS
    while not condition():
        assert time.monotonic() < give_up, "it did not come to pass in time"
        time.sleep(0.05)


@pytest.fixture
def s(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Settings]:
    monkeypatch.setenv("DAYBREAK_HOME", str(tmp_path))
    monkeypatch.setenv("DAYBREAK_PORT_BASE", "27500")
    for folder in ("run", "logs", "tmp"):
        (tmp_path / folder).mkdir()
    secrets.ensure(load())
    yield load()
    processes.sweep(tmp_path)


def _program(command: tuple[str, ...] = SLEEP, name: Name = Name.KAFKA, **more: object) -> Program:
    settled = {"waits_for": lambda pid: None} | more
    return Program(name=name, command=command, **settled)  # type: ignore[arg-type]


def _up(s: Settings, *programs: Program) -> Supervisor:
    supervisor = Supervisor(s)
    supervisor.start(programs)
    start.up(s, {program.name: program for program in programs}, supervisor, _quiet, _quiet)
    return supervisor


def test_a_program_starts_after_what_it_needs_is_healthy(s: Settings) -> None:
    told: list[str] = []
    asked = iter(["a moment", "a moment"])
    first = _program(name=Name.STORE, waits_for=lambda pid: next(asked, None))
    second = _program(name=Name.GATEWAY, needs=(Name.STORE,))
    supervisor = Supervisor(s)
    supervisor.start([second, first])
    start.up(s, {p.name: p for p in (second, first)}, supervisor, told.append, _quiet)
    assert [line.split()[0] for line in told] == ["store", "gateway"]


def test_a_killed_program_is_started_again(s: Settings) -> None:
    program = _program()
    supervisor = _up(s, program)
    pid = supervisor.processes()[Name.KAFKA].pid
    os.kill(pid, signal.SIGKILL)
    _until(lambda: supervisor.processes()[Name.KAFKA].pid not in (0, pid))


def test_a_log_does_not_grow_for_ever(s: Settings) -> None:
    says = "import sys, time; [sys.stdout.write('x' * 1023 + chr(10)) for _ in range(70 << 10)]; print('said', flush=True); "
    _up(s, _program((sys.executable, "-c", f"{says} time.sleep(600)")))
    log = configuration.log_file(s, Name.KAFKA)
    _until(lambda: log.read_bytes().endswith(b"said\n"))
    files = sorted(log.parent.glob("kafka.log*"))
    assert [file.name for file in files] == ["kafka.log", "kafka.log.1", "kafka.log.2"]
    assert all(file.stat().st_size < 21 << 20 for file in files)
    assert "logfile_maxbytes=20MB\nlogfile_backups=2" in (s.home / "supervisor.conf").read_text()


def test_a_permanent_failure_is_not_restarted_and_its_last_lines_are_shown(s: Settings) -> None:
    dies = (sys.executable, "-c", "import sys; print('no such checkpoint'); sys.exit(65)")
    program = _program(dies, Name.STREAM, waits_for=lambda pid: "its queries", final_exit=65)
    with pytest.raises(PermanentFailure, match=r"stream ended by itself(.|\n)*no such checkpoint"):
        _up(s, program)
    assert status({Name.STREAM: program}, Supervisor(s))[0].condition is Condition.FAILED


def test_what_never_gets_healthy_is_given_up_with_what_it_waits_for(s: Settings) -> None:
    program = _program(waits_for=lambda pid: "a miracle", start_seconds=1)
    with pytest.raises(TransientFailure, match="kafka is not up after 1 s, it waits for: a miracle"):
        _up(s, program)


ODD = 'it\'s "100%" #1 ;2 %(ENV_PATH)s\n\u00e9 '


def test_a_program_gets_odd_values_and_arguments_as_they_are(s: Settings, tmp_path: Path) -> None:
    file, argument = tmp_path / "said", ODD.replace("\n", " ")
    tells = "import json, os, sys, time; d = dict(os.environ); json.dump([d['ODD'], d['DAYBREAK_HOME'], sorted(d), "
    tells += (
        "sys.argv[2]], open(sys.argv[1] + '.new', 'w')); os.rename(sys.argv[1] + '.new', sys.argv[1]); time.sleep(600)"
    )
    _up(s, _program((sys.executable, "-c", tells, str(file), argument), env={"ODD": ODD}))
    _until(file.exists)
    value, home, names, said = json.loads(file.read_text())
    assert (value, home, said) == (ODD, str(tmp_path), argument)
    assert launch.ENCODED not in names


def test_an_odd_home_and_password_of_supervisor_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "it's 100%, \u00e9"
    for folder in ("run", "logs", "tmp"):
        (home / folder).mkdir(parents=True)
    monkeypatch.setenv("DAYBREAK_HOME", str(home))
    monkeypatch.setenv("DAYBREAK_PORT_BASE", "27500")
    monkeypatch.setenv("DAYBREAK_SUPERVISOR_PASSWORD", "p@:/w% ;#'x")
    try:
        assert _up(load(), _program()).is_running()
    finally:
        processes.sweep(home)


def test_a_taken_port_is_named_with_its_setting(s: Settings) -> None:
    supervisor = _up(s, _program())
    late = _program(name=Name.STORE, ports={"s3_port": s.supervisor_port})
    supervisor.reload([_program(), late])
    with pytest.raises(PermanentFailure, match=f"port {s.supervisor_port} of store is taken by .*DAYBREAK_S3_PORT"):
        start.up(s, {late.name: late}, supervisor, _quiet, _quiet)


def test_up_twice_starts_nothing_twice(s: Settings) -> None:
    program = _program()
    supervisor = _up(s, program)
    pid = supervisor.processes()[Name.KAFKA].pid
    assert supervisor.reload([program]) == []
    start.up(s, {program.name: program}, supervisor, _quiet, _quiet)
    assert supervisor.processes()[Name.KAFKA].pid == pid


def test_a_program_with_new_settings_is_started_again(s: Settings) -> None:
    supervisor = _up(s, _program())
    assert supervisor.reload([_program(env={"SIZE": "2"})]) == ["kafka"]
    assert supervisor.processes()[Name.KAFKA].pid == 0


def test_down_leaves_no_process(s: Settings) -> None:
    program = _program(WITH_CHILD)
    supervisor = _up(s, program)
    _until(lambda: len(processes.left_over(s.home)) >= 3)
    start.down(s, {program.name: program}, supervisor, _quiet, _quiet)
    assert processes.left_over(s.home) == []


def test_down_ends_what_an_older_version_started(s: Settings) -> None:
    older = _program(name="minio")  # type: ignore[arg-type]
    supervisor = Supervisor(s)
    supervisor.start([older])
    supervisor.begin(older.name)
    _until(lambda: len(processes.left_over(s.home)) > 1)
    assert supervisor.processes() == {}
    start.down(s, {}, supervisor, _quiet, _quiet)
    assert processes.left_over(s.home) == []


def test_down_leaves_no_process_though_supervisor_was_killed(s: Settings) -> None:
    program = _program(WITH_CHILD)
    supervisor = _up(s, program)
    os.kill(int((s.home / "run" / "supervisord.pid").read_text()), signal.SIGKILL)
    _until(lambda: not supervisor.is_running())
    told: list[str] = []
    start.down(s, {program.name: program}, supervisor, told.append, _quiet)
    assert processes.left_over(s.home) == []
    assert any("was left over" in line for line in told)


def test_status_counts_the_memory_of_the_whole_tree(s: Settings) -> None:
    program = _program(WITH_CHILD)
    supervisor = _up(s, program)
    pid = supervisor.processes()[Name.KAFKA].pid
    _until(lambda: len(psutil.Process(pid).children()) == 1)
    found = status({program.name: program}, supervisor)[0]
    assert found.condition is Condition.HEALTHY
    assert found.memory_mb is not None
    assert found.memory_mb * 1024 * 1024 > psutil.Process(pid).memory_info().rss


def test_the_configuration_is_its_owners_only(s: Settings) -> None:
    assert configuration.write(s, [_program()]).stat().st_mode & 0o077 == 0

"""What a program's state is called, of supervisor's word, its log, and the stream's own notes."""

import json
import os
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from infra.failures import PermanentFailure, TransientFailure
from infra.services import health, restarts
from infra.services.program import Name, Program
from infra.services.status import Condition, Status, status
from infra.services.supervisor import Process, State
from infra.settings import Settings, load

NOW = datetime(2026, 1, 31, 12, tzinfo=UTC)


@pytest.fixture
def s(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    monkeypatch.setenv("DAYBREAK_HOME", str(tmp_path))
    for folder in ("run", "logs"):
        (tmp_path / folder).mkdir()
    return load()


def log(
    s: Settings, *ages: float, name: str = "stream", said: str = "exited: {} (exit status 1; not expected)"
) -> None:
    lines = [f"{NOW - timedelta(minutes=age):%Y-%m-%d %H:%M:%S},123 WARN {said.format(name)}" for age in ages]
    with (s.home / "logs" / "supervisord.log").open("a") as file:
        file.write("\n".join(["2026-01-31 09:00:00,001 INFO spawned: 'stream' with pid 7", *lines, ""]))


def test_ends_that_nobody_asked_for_are_counted_while_they_are_young(s: Settings) -> None:
    assert restarts.ends(s, NOW) == {}
    log(s, 40, 16, 12, 7, 1)
    log(s, 3, name="kafka", said="exited: {} (terminated by SIGKILL; not expected)")
    log(s, 2, said="stopped: {} (terminated by SIGTERM)")
    found = restarts.ends(s, NOW)
    assert {name: (one.count, one.how) for name, one in found.items()} == {
        "stream": (3, "exit status 1"),
        "kafka": (1, "terminated by SIGKILL"),
    }
    said = "it ended 3 times within 15 minutes, last at 11:59:00 UTC (exit status 1)"
    assert (found["stream"].loops(None), found["stream"].loops(40), found["stream"].loops(400)) == (said, said, None)
    assert found["kafka"].loops(None) is None


def one(state: State, pid: int, fails: str | None, ended: int, up: float = 10, notices: tuple[str, ...] = ()) -> Status:
    """The status of a program that works, as far as it says."""
    program = Program(
        Name.STREAM, ("true",), waits_for=lambda _: None, fails=lambda: fails, notices=lambda _: notices, final_exit=65
    )
    process = Process(state, pid, int(time.time() - up) if pid else 0, 65, "")
    lately = {"stream": restarts.Ends(ended, NOW, "exit status 1")} if ended else {}
    supervisor: Any = SimpleNamespace(
        is_running=lambda: True,
        processes=lambda: {Name.STREAM: process},
        ends=lambda: lately,
        last_words=lambda _: "the disk is full",
    )
    (found,) = status({Name.STREAM: program}, supervisor)
    return found


def test_a_jvm_that_ends_without_memory_is_told_with_its_setting() -> None:
    program = Program(Name.KAFKA, ("true",), waits_for=lambda _: None, heap=("512m", "kafka_memory"))
    supervisor: Any = SimpleNamespace(
        is_running=lambda: True,
        processes=lambda: {Name.KAFKA: Process(State.BACKOFF, 0, 0, 3, "")},
        ends=lambda: {Name.KAFKA: restarts.Ends(3, NOW, "exit status 3")},
    )
    (found,) = status({Name.KAFKA: program}, supervisor)
    assert found.condition is Condition.FAILING
    assert found.waits_for == (
        "it ended 3 times within 15 minutes, last at 12:00:00 UTC (exit status 3). Its JVM ran out of memory: its heap is 512m. "
        "Give it more with DAYBREAK_KAFKA_MEMORY"
    )


@pytest.mark.parametrize(
    ("given", "condition", "says"),
    [
        ((State.RUNNING, os.getpid(), None, 0), Condition.HEALTHY, None),
        ((State.RUNNING, os.getpid(), "micro-batch 17", 0), Condition.FAILING, "micro-batch 17"),
        ((State.RUNNING, os.getpid(), None, 3), Condition.FAILING, "it ended 3 times"),
        ((State.RUNNING, os.getpid(), None, 3, 400), Condition.HEALTHY, None),
        ((State.RUNNING, os.getpid(), None, 2), Condition.HEALTHY, None),
        ((State.BACKOFF, 0, None, 1), Condition.RESTARTING, ""),
        ((State.BACKOFF, 0, None, 7), Condition.FAILING, "it ended 7 times"),
        ((State.STOPPED, 0, "micro-batch 17", 7), Condition.STOPPED, None),
        (
            (State.EXITED, 0, "micro-batch 17", 7),
            Condition.FAILED,
            "a restart by hand: it ended by itself (): the disk is full",
        ),
    ],
)
def test_a_program_that_ends_again_and_again_is_not_healthy(
    given: tuple[Any, ...], condition: Condition, says: str | None
) -> None:
    found = one(*given)
    assert found.condition is condition
    assert (found.waits_for is None) if says is None else str(found.waits_for).startswith(says)


def test_only_the_process_that_runs_has_notices(s: Settings) -> None:
    assert health.notices(s, 7) == ()
    (s.home / "run" / "stream.json").write_text(json.dumps({"pid": 7, "state": "running", "notices": ["commands: 3"]}))
    assert health.notices(s, 7) == ("commands: 3",)
    assert health.notices(s, 8) == ()


@pytest.mark.parametrize(
    ("batch_age", "word_age", "unread", "says"),
    [
        (2, 1, 15_000, None),
        (900, 1, 0, None),
        (900, 1, 3, None),
        (
            900,
            1,
            15_000,
            "its next micro-batch (micro-batch 17 was finished 15 min ago, and Kafka has 15,000 unread records)",
        ),
        (2, 300, 0, "its status file, which is 5 min old"),
        (900, 1, PermanentFailure("no group"), None),
        (900, 1, TransientFailure("Kafka gave no answer"), "Kafka gave no answer"),
    ],
    ids=[
        "at work",
        "a silent shop",
        "a silent shop's next order",
        "stands still",
        "its process hangs",
        "nothing was ever read",
        "no Kafka",
    ],
)
def test_a_stream_that_runs_and_reads_nothing_is_not_healthy(
    s: Settings, monkeypatch: pytest.MonkeyPatch, batch_age: float, word_age: float, unread: Any, says: str | None
) -> None:
    def partitions(_: Settings) -> list[SimpleNamespace]:
        if isinstance(unread, Exception):
            raise unread
        # The few have come just now.
        age = timedelta(seconds=1 if unread == 3 else 800)
        return [
            SimpleNamespace(
                start=0, end=unread + 5, stable=unread + 5, committed=5, first_unread=datetime.now(UTC) - age
            )
        ]

    monkeypatch.setattr(health, "partitions", partitions)
    now, pid = time.time(), os.getpid()
    told = {"pid": pid, "state": "running", "at": now - word_age, "batch": {"id": 17, "finished_at": now - batch_age}}
    (s.home / "run" / "stream.json").write_text(json.dumps(told))
    found = health.stream(s, pid)
    assert (found is None) if says is None else str(found).startswith(says)


def test_what_the_views_hold_is_read_from_the_streams_own_status(s: Settings) -> None:
    file = s.home / "run" / "stream.json"
    file.unlink(missing_ok=True)
    assert health.held(s) == {}
    file.write_text(json.dumps({"pid": 1, "state": "starting Spark"}))
    assert health.held(s) == {}
    file.write_text(json.dumps({"pid": 1, "state": "running", "held": {"order_payments": [12, 3_456]}}))
    assert health.held(s) == {"order_payments": (12, 3_456)}


def test_a_stream_that_reads_back_says_what(s: Settings) -> None:
    told = {"pid": 7, "state": "running", "at": time.time(), "reads_back": "open rows, view 3 of 14"}
    (s.home / "run" / "stream.json").write_text(json.dumps(told))
    assert health.stream(s, 7) == "its first micro-batch (it reads back open rows, view 3 of 14)"


def test_the_stream_has_time_for_its_first_micro_batch(s: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    first = datetime.now(UTC) - timedelta(days=1)
    unread = SimpleNamespace(start=0, end=9, stable=9, committed=None, first_unread=first)
    monkeypatch.setattr(health, "partitions", lambda _: [unread])
    pid = os.getpid()
    (s.home / "run" / "stream.json").write_text(
        json.dumps({"pid": pid, "state": "running", "at": time.time(), "queries": {}})
    )
    # This process has lived for as long as the tests before took.
    assert health.stream(s.model_copy(update={"still_seconds": 1_000_000}), pid) is None
    assert str(health.stream(s.model_copy(update={"still_seconds": -1}), pid)).startswith(
        "its next micro-batch (none in "
    )

"""`daybreak status`: what fails is told, and with --problems everything that is wrong, in one list."""

import json
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from typer.testing import CliRunner

from batch.commands import status as command
from batch.status.look import look
from batch.status.unsettled import overdue
from infra.airflow.problems import failed, paused, unended
from infra.airflow.runs import Run, Task
from infra.failures import TransientFailure
from infra.problems import Problem, keep
from infra.services.problems import of_programs
from infra.services.status import Condition, Status
from infra.settings import Settings, load


@pytest.fixture
def s(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    monkeypatch.setenv("DAYBREAK_HOME", str(tmp_path))
    (tmp_path / "run").mkdir()
    monkeypatch.setattr(command, "settings", load)
    monkeypatch.setattr(command, "roster", lambda _: {})
    return load()


def one(condition: Condition, waits_for: str | None = None, up: int = 10, notices: tuple[str, ...] = ()) -> Status:
    pid = None if condition in (Condition.STOPPED, Condition.FAILED) else 7
    return Status("stream", condition, pid, {}, 1, 1, up, waits_for, notices)


def shown(monkeypatch: pytest.MonkeyPatch, *found: Status) -> None:
    monkeypatch.setattr(command, "statuses", lambda *_: list(found))


def asked(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(command.commands, [*arguments])
    return done.exit_code, done.output


def test_the_command_says_what_fails_and_ends_with_one(s: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    why = "micro-batch 17 (orders-0), 3 times: [X] too deep. `daybreak logs stream`"
    shown(monkeypatch, one(Condition.FAILING, why))
    code, said = asked()
    assert code == 1
    assert f"stream is failing: {why}" in said
    assert said.splitlines()[-1] == "1 problem is known: daybreak status --problems"
    code, said = asked("--json")
    assert (code, json.loads(said)[0]["condition"]) == (1, "failing")
    shown(monkeypatch, one(Condition.HEALTHY))
    code, said = asked()
    assert code == 0
    assert "known" not in said


def test_bad_input_is_told_and_makes_no_program_ill(s: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    told = f"commands: 3 of 9 records (not_json 3): {'a long command, ' * 20}[end]"
    shown(monkeypatch, one(Condition.HEALTHY, notices=(told,)))
    code, said = asked()
    assert (code, said.splitlines()[-1]) == (0, told)
    (found,) = json.loads(asked("--json")[1])
    assert (found["condition"], found["notices"]) == ("healthy", [told])


def test_all_problems_are_one_list_with_what_mends_each(s: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("batch.status.look.LOOKS", {})
    shown(monkeypatch, one(Condition.HEALTHY))
    assert asked("--problems") == (0, "no problems\n")
    keep(s, "night", [Problem("log.gap/orders-0", "8 records [x] are gone", "daybreak gaps", 8, ("orders-0 12",))])
    shown(monkeypatch, one(Condition.FAILING, "its disk"))
    code, said = asked("--problems")
    assert code == 1
    for word in ("log.gap/orders-0 since 20", "8 in all", "8 records [x] are gone", "orders-0 12", "daybreak gaps"):
        assert word in said
    assert "stream is failing: its disk" in said
    code, said = asked("--problems", "--json")
    assert (code, [row["id"] for row in json.loads(said)]) == (1, ["log.gap/orders-0", "program.failing/stream"])
    shown(monkeypatch, one(Condition.HEALTHY))
    assert [row["id"] for row in json.loads(asked("--problems", "--json")[1])] == ["log.gap/orders-0"]


def test_a_platform_that_is_down_shows_what_was_known(s: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("batch.status.look.LOOKS", {"night": lambda _: pytest.fail("it looks")})
    keep(s, "night", [Problem("a/b", "wrong", "mend it")])
    shown(monkeypatch, one(Condition.STOPPED))
    code, said = asked("--problems")
    assert code == 1
    assert "a/b" in said
    assert "The platform is down" in said


@pytest.mark.parametrize(
    ("found", "ids"),
    [
        (one(Condition.WAITING, "its next micro-batch", up=400), ["program.waits/stream"]),
        (one(Condition.WAITING, "its queries to start", up=20), []),
        (one(Condition.FAILED, "a restart by hand"), ["program.failed/stream"]),
        (one(Condition.STOPPED), []),
    ],
    ids=["does nothing", "starts", "has ended", "stopped by a person"],
)
def test_a_program_is_a_problem_if_it_stands_still(found: Status, ids: list[str]) -> None:
    assert [one.id for one in of_programs([found], still_seconds=300)] == ids


def test_a_look_that_fails_leaves_what_it_found(s: Settings) -> None:
    def blind(_: Settings) -> list[Problem]:
        raise TransientFailure("Kafka does not answer")

    assert [one.id for one in look(s, {"night": lambda _: [Problem("a/b", "wrong", "mend it")]})] == ["a/b"]
    assert [one.id for one in look(s, {"night": blind})] == ["a/b", "look.failed/night"]
    assert look(s, {"night": lambda _: []}) == []


def at(day: int, hour: int = 0) -> datetime:
    return datetime(2026, 1, day, hour, tzinfo=UTC)


def test_a_day_with_events_that_no_night_settles_is_told() -> None:
    events = {date(2026, 1, day): at(day) for day in (27, 28, 29, 30)}
    (found,) = overdue(events, [date(2026, 1, 27)], at(31, 6), timedelta(hours=30))
    assert (found.id, found.count, found.rows) == ("night.unsettled", 2, ("2026-01-28", "2026-01-29"))
    assert found.since == at(30, 6)
    assert "daybreak backfill --from 2026-01-28 --to 2026-01-29" in found.mend
    assert overdue(events, [*events][:3], at(31, 6), timedelta(hours=30)) == []
    # Old events that have come just now: their night may still come.
    assert overdue({date(2025, 1, 1): at(31)}, [], at(31, 6), timedelta(hours=30)) == []


def nights(*tasks: tuple[Task, ...], state: str = "failed") -> list[Run]:
    """Runs of 30 January and of the days before it, the newest first."""
    return [Run(f"r{30 - at}", date(2026, 1, 30 - at), state, own) for at, own in enumerate(tasks)]


def test_a_dag_that_was_paused_again_is_told() -> None:
    assert paused("nightly", is_paused=True, runs=[]) == []
    assert paused("nightly", is_paused=False, runs=nights(())) == []
    (found,) = paused("nightly", is_paused=True, runs=nights((), state="queued"))
    assert found.id == "night.paused/nightly"
    assert "1 asked for by hand wait" in found.what


def test_a_task_that_failed_is_told_until_it_succeeds() -> None:
    bad, good = Task("dbt_build", "failed", 3), Task("dbt_build", "success", 1)
    runs = nights((bad, Task("settle", "failed", 1, 0, "2026-01-29")), (good,))
    said = failed(runs, set(), "http://airflow")
    assert [one.id for one in said] == ["night.task/dbt_build", "night.task/settle.2026-01-29"]
    assert "http://airflow/dags/nightly/runs/r30" in said[0].mend
    # Whoever settled the day, it is settled.
    assert [one.id for one in failed(runs, {date(2026, 1, 29)}, "")] == ["night.task/dbt_build"]
    assert failed(nights((good,), (bad,)), set(), "") == []
    assert [one.id for one in failed(nights((Task("dbt_build", "running", 1),), (bad,)), set(), "")]


def test_a_night_that_airflow_ended_by_its_clock_is_told() -> None:
    skipped = (Task("archive", "success", 1), Task("settle", "skipped", 1), Task("curve", None, 0))
    runs = nights(skipped, (Task("archive", "success", 1),))
    assert failed(runs, set(), "") == []
    (found,) = unended(runs, set())
    assert found.id == "night.ended-early"
    assert "--from 2026-01-30" in found.mend
    assert unended(runs, {date(2026, 1, 30)}) == []
    assert unended(nights((Task("settle", "failed", 1),)), set()) == []
    assert unended(nights(skipped, state="success"), set()) == []

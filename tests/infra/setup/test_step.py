"""A set-up step runs once, again when its source changes, and says so when it leaves nothing."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier, Event

import pytest

from infra.setup.step import SetupFailure, Step, call, digest, run


def _step(folder: Path, made_from: str, installs: bool = True) -> Step:
    def install() -> None:
        with (folder / "runs").open("a") as runs:
            runs.write("x")
        if installs:
            (folder / "result").touch()

    return Step(
        "thing", "making it", folder / "stamp", lambda: made_from, install, lambda: (folder / "result").exists()
    )


def _runs(folder: Path) -> int:
    return len((folder / "runs").read_text())


def test_a_done_step_is_not_run_again(tmp_path: Path) -> None:
    for _ in range(2):
        run([_step(tmp_path, "lock 1")])
    assert _runs(tmp_path) == 1


def test_those_after_the_first_run_side_by_side(tmp_path: Path) -> None:
    names = ("first", "one", "other")
    done: list[str] = []
    meet = Barrier(2)

    def install(name: str) -> None:
        if name != "first":
            meet.wait(timeout=20)
        done.append(name)

    def step(name: str, after: str) -> Step:
        return Step(name, name, tmp_path / name, lambda: name, lambda: install(name), lambda: name in done, after)

    run([step(name, "" if name == "first" else "first") for name in names])
    assert done[0] == "first"
    assert sorted(done) == sorted(names)


def test_a_step_made_from_another_waits_and_is_redone_with_it(tmp_path: Path) -> None:
    done: list[str] = []

    def step(name: str, after: str = "", made_from: Callable[[], str] = str) -> Step:
        def install() -> None:
            if name == "jars":
                is_slow.wait(0.5)
            done.append(name)

        return Step(name, "", tmp_path / name, made_from, install, lambda: name in done, after)

    is_slow = Event()
    jars = lambda: str(done.count("jars"))  # noqa: E731
    run([step("jars"), step("classes", "jars", jars), step("connect", "jars")])
    assert (done[0], sorted(done[1:])) == ("jars", ["classes", "connect"])
    run([step("jars", made_from=lambda: "others"), step("classes", "jars", jars), step("connect", "jars")])
    assert done[3:] == ["jars", "classes"]


def test_a_changed_lock_runs_it_again(tmp_path: Path) -> None:
    run([_step(tmp_path, "lock 1")])
    run([_step(tmp_path, "lock 2")])
    assert _runs(tmp_path) == 2


def test_a_lost_result_runs_it_again(tmp_path: Path) -> None:
    run([_step(tmp_path, "lock 1")])
    (tmp_path / "result").unlink()
    run([_step(tmp_path, "lock 1")])
    assert _runs(tmp_path) == 2


def test_a_step_without_its_result_is_a_failure_and_leaves_no_stamp(tmp_path: Path) -> None:
    with pytest.raises(SetupFailure, match="thing"):
        run([_step(tmp_path, "lock 1", installs=False)])
    assert not (tmp_path / "stamp").exists()


def test_a_failed_command_is_named(tmp_path: Path) -> None:
    with pytest.raises(SetupFailure, match="the cake failed"):
        call(["false"], "the cake")


def test_a_digest_keeps_its_parts_apart() -> None:
    assert digest("ab", "c") != digest("a", "bc")


def test_a_second_setup_waits_and_repeats_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("infra.setup.step.STATE", tmp_path / "state")
    is_inside, waits, may_end = Event(), Event(), Event()
    monkeypatch.setattr("infra.setup.step.print", lambda text, **_: "waiting" in text and waits.set(), raising=False)

    def install() -> None:
        with (tmp_path / "runs").open("a") as runs:
            runs.write("x")
        is_inside.set()
        assert may_end.wait(20)
        (tmp_path / "result").touch()

    def setup() -> None:
        run([Step("thing", "", tmp_path / "stamp", lambda: "", install, lambda: (tmp_path / "result").exists())])

    with ThreadPoolExecutor() as pool:
        first = pool.submit(setup)
        assert is_inside.wait(20)
        second = pool.submit(setup)
        has_waited = waits.wait(5)
        may_end.set()
        first.result(20)
        second.result(20)
    assert has_waited
    assert _runs(tmp_path) == 1

"""Events go to a real server or to a folder; whatever that does, the program goes on, and what is lost is counted and told."""

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from lineage_server import Collector, collector
from openlineage.client.event_v2 import RunState
from pydantic import SecretStr

from infra.lineage import emitter
from infra.lineage.runs import Lineage, Work
from infra.lineage.start import begun
from infra.problems import problems
from infra.settings import Settings

WORK = Work("made", "A job that is made up.")


@pytest.fixture(autouse=True)
def in_no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(emitter, "WAITS", (0.02,))
    monkeypatch.setattr(emitter, "LAST_SECONDS", 0.5)


@pytest.fixture
def server() -> Iterator[Collector]:
    with collector() as own:
        yield own


def until(seen: Callable[[], object]) -> None:
    end = time.monotonic() + 10
    while not seen():
        assert time.monotonic() < end
        time.sleep(0.01)


def one_run(lineage: Lineage) -> None:
    run = lineage.began(WORK)
    run.say(RunState.START)
    run.say(RunState.COMPLETE)


def test_a_server_gets_each_event_in_order_with_the_key(tmp_path: Path, server: Collector) -> None:
    s = Settings(home=tmp_path, lineage=server.url, lineage_key=SecretStr("k-1"), lineage_namespace="team")
    with begun(s, "made") as lineage:
        assert lineage
        one_run(lineage)
    assert server.types() == ["START", "COMPLETE"]
    assert {*server.asked} == {("/api/v1/lineage", "Bearer k-1")}
    start, end = server.taken
    assert (start["job"]["namespace"], start["job"]["name"]) == ("team", "made")
    assert start["run"]["runId"] == end["run"]["runId"]
    assert problems(s) == []


def test_a_url_with_a_path_is_the_whole_address(tmp_path: Path, server: Collector) -> None:
    with begun(Settings(home=tmp_path, lineage=f"{server.url}/behind/a-proxy"), "made") as lineage:
        assert lineage
        one_run(lineage)
    assert {path for path, _ in server.asked} == {"/behind/a-proxy"}


def test_a_folder_gets_a_file_per_program_and_day(tmp_path: Path) -> None:
    for program in ("one", "other", "other"):
        with begun(Settings(home=tmp_path, lineage=f"{tmp_path}/new/folder"), program) as lineage:
            assert lineage
            one_run(lineage)
    files = {file.name.partition("-")[0]: file.read_text().splitlines() for file in (tmp_path / "new/folder").iterdir()}
    assert {name: len(lines) for name, lines in files.items()} == {"one": 2, "other": 4}
    assert [json.loads(line)["eventType"] for line in files["other"]] == ["START", "COMPLETE"] * 2


def test_a_server_that_keeps_silent_holds_nobody_up(
    tmp_path: Path, server: Collector, capsys: pytest.CaptureFixture[str]
) -> None:
    server.goes_on.clear()
    s = Settings(home=tmp_path, lineage=server.url)
    began = time.monotonic()
    with begun(s, "made") as lineage:
        assert lineage
        for _ in range(50):
            one_run(lineage)
        assert time.monotonic() - began < 0.4
    assert time.monotonic() - began < 3
    (found,) = problems(s)
    assert (found.id, found.count) == ("lineage.events/made", 100)
    assert capsys.readouterr().err.count("100 lineage events were lost") == 1


def test_a_place_that_is_away_is_told_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("no folder")
    s = Settings(home=tmp_path, lineage=f"{tmp_path}/file")
    with begun(s, "made") as lineage:
        assert lineage
        one_run(lineage)
        until(lambda: problems(s))
        time.sleep(0.1)
    said = capsys.readouterr().err.splitlines()
    assert [line.partition(": ")[2].partition(" does")[0] for line in said] == [s.lineage, "2 lineage events were lost"]


def test_what_waited_is_delivered_when_the_server_answers_again(tmp_path: Path, server: Collector) -> None:
    server.answers = [503, 503, 429]
    s = Settings(home=tmp_path, lineage=server.url)
    with begun(s, "made") as lineage:
        assert lineage
        one_run(lineage)
        until(lambda: len(server.taken) == 2)
        assert lineage.emitter.lost == 0
    assert server.types() == ["START", "COMPLETE"]
    assert problems(s) == []


def test_a_refused_event_is_lost_and_the_next_one_goes(tmp_path: Path, server: Collector) -> None:
    server.answers = [422]
    s = Settings(home=tmp_path, lineage=server.url)
    with begun(s, "made") as lineage:
        assert lineage
        one_run(lineage)
    assert server.types() == ["COMPLETE"]
    (found,) = problems(s)
    assert found.count == 1
    assert "422" in found.what


def test_beyond_the_queues_bound_new_events_are_lost(tmp_path: Path, server: Collector) -> None:
    server.goes_on.clear()
    lineage = Lineage(Settings(home=tmp_path, lineage=server.url), "made")
    lineage.emitter._queued = 4
    one_run(lineage)
    until(lambda: server.asked)
    for _ in range(5):
        one_run(lineage)
    # One is on its way, and four wait.
    assert lineage.emitter.lost == 12 - 5
    server.goes_on.set()
    lineage.close()
    assert len(server.taken) == 5


def test_an_event_that_cannot_be_made_is_lost_and_told(tmp_path: Path, server: Collector) -> None:
    s = Settings(home=tmp_path, lineage=server.url)
    with begun(s, "made") as lineage:
        assert lineage
        lineage.began(WORK).say(RunState.START, None, [None])  # type: ignore[list-item]
        one_run(lineage)
    assert server.types() == ["START", "COMPLETE"]
    assert [one.count for one in problems(s)] == [1]


def test_a_problem_ends_with_the_setting_or_with_a_good_event(tmp_path: Path, server: Collector) -> None:
    away = Settings(home=tmp_path, lineage="/dev/null/none")
    for after in (Settings(home=tmp_path), Settings(home=tmp_path, lineage=server.url)):
        for s, expected in ((away, 1), (after, 0)):
            with begun(s, "made") as lineage:
                if lineage:
                    one_run(lineage)
            assert len(problems(s)) == expected

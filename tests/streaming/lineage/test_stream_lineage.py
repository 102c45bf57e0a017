"""The stream as a run: it begins, says a word a minute at most, and ends once, well or with its failure."""

import json
import time
from pathlib import Path
from typing import Any

import pytest

from infra.settings import Settings
from streaming.all_tables import stream_tables
from streaming.contracts import CONTRACTS
from streaming.lineage import of_stream, start


@pytest.fixture
def s(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    own = Settings(home=tmp_path, lineage=f"{tmp_path}/told", kafka_bootstrap="one:9092,two:9092", bucket="b")
    monkeypatch.setattr(start, "settings", lambda: own)
    monkeypatch.setattr(of_stream, "settings", lambda: own)
    return own


def told(s: Settings) -> list[dict[str, Any]]:
    return [json.loads(line) for file in Path(s.lineage).glob("stream-*") for line in file.read_text().splitlines()]


def named(datasets: list[dict[str, Any]]) -> set[tuple[str, str]]:
    return {(one["namespace"], one["name"]) for one in datasets}


def test_a_run_has_the_topics_and_the_streams_tables(s: Settings) -> None:
    with start.of_stream():
        pass
    begun, ended = told(s)
    assert [one["eventType"] for one in (begun, ended)] == ["START", "COMPLETE"]
    assert begun["run"]["runId"] == ended["run"]["runId"]
    for event in (begun, ended):
        assert named(event["inputs"]) == {("kafka://one:9092", topic) for topic in CONTRACTS}
        tables = {("s3://b", table.id) for table in stream_tables()}
        assert named(event["outputs"]) == tables | {("kafka://one:9092", s.alerts_topic)}
    job = begun["job"]["facets"]["jobType"]
    assert (job["processingType"], job["emissionPattern"]["windowDuration"]) == ("STREAMING", 60)


def test_many_micro_batches_are_one_event_a_minute(s: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    with start.of_stream() as said:
        for second in range(150):
            clock[0] = 100.0 + second
            said.at({"id": second})
        for _ in range(300):
            clock[0] += 1
            said.at({"id": 149})
        monkeypatch.undo()
        monkeypatch.setattr(of_stream, "settings", lambda: s)
    events = told(s)
    assert [one["eventType"] for one in events] == ["START", "RUNNING", "RUNNING", "RUNNING", "COMPLETE"]
    assert all("facets" not in one or not one["facets"] for event in events[1:] for one in event["outputs"])


def test_a_stream_that_fails_says_why_and_fails_all_the_same(s: Settings) -> None:
    with pytest.raises(RuntimeError, match="the query ended"), start.of_stream():
        raise RuntimeError("the query ended")
    assert [one["eventType"] for one in told(s)] == ["START", "FAIL"]
    assert told(s)[1]["run"]["facets"]["errorMessage"]["message"] == "RuntimeError: the query ended"


def test_what_cannot_be_told_does_not_stop_the_stream(s: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(of: Settings) -> None:
        raise ValueError("no topics")

    monkeypatch.setattr(of_stream, "topics", broken)
    with start.of_stream() as said:
        said.at({"id": 1})
        done = True
    assert done
    assert not told(s)

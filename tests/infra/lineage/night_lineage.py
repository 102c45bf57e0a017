"""What a night that went well has to have said of itself.

Data flow: events of a folder -> runs by job -> assertions
Run: pytest tests/batch/test_killed.py
"""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from batch.lineage import of_night, start
from infra.settings import Settings

Event = Mapping[str, Any]
STEPS = ("archive", "conservation", "truth", "reconcile", "correct")


@contextmanager
def told_to(folder: Path) -> Iterator[Settings]:
    """Nights of this block say their lineage to a folder in `folder`, which is their home too."""
    s = Settings(home=folder, lineage=f"{folder}/told", bucket="b", kafka_bootstrap="k:9092")
    with pytest.MonkeyPatch.context() as patch:
        for module in (start, of_night):
            patch.setattr(module, "settings", lambda: s)
        yield s


def events(s: Settings) -> list[Event]:
    """All that was said, in order."""
    return [json.loads(line) for file in sorted(Path(s.lineage).iterdir()) for line in file.read_text().splitlines()]


def holds(said: Sequence[Event], runs: Collection[str], views: Sequence[str]) -> None:
    """One run of the night, and in it one of each step, with what it read and wrote."""
    jobs: dict[str, list[Event]] = {}
    for event in said:
        jobs.setdefault(event["job"]["name"], []).append(event)
    assert [*jobs] == ["night", *(f"night.{step}" for step in STEPS)]
    for name, own in jobs.items():
        assert [one["eventType"] for one in own] == ["START", "COMPLETE"], name
        assert len({one["run"]["runId"] for one in own}) == 1
    night = jobs["night"][0]["run"]["runId"]
    for step in STEPS:
        assert {one["run"]["facets"]["parent"]["run"]["runId"] for one in jobs[f"night.{step}"]} == {night}
    ends = {step: jobs[f"night.{step}"][1] for step in STEPS}
    for step in ("truth", "reconcile", "correct"):
        tags = {one["key"]: one["value"] for one in ends[step]["run"]["facets"]["tags"]["tags"]}
        assert tags["run"] in runs, step
    written = {step: names(end["outputs"]) for step, end in ends.items()}
    read = {step: names(end["inputs"]) for step, end in ends.items()}
    assert written["archive"] == {"archive/events"}
    assert written["truth"] == {"truth/events", "truth/quarantine", *(f"truth/{view}" for view in views)}
    assert written["reconcile"] == {f"reconciliation/{name}" for name in ("differences", "evidence", "summary")}
    assert {"reconciliation/corrections", "reconciliation/settlements"} <= written["correct"]
    assert {"archive/events", "truth/events"} <= read["truth"]
    assert {"silver/events", *(f"{layer}/{view}" for layer in ("speed", "truth") for view in views)} <= read[
        "reconcile"
    ]
    _columns(ends["truth"])


def names(datasets: Sequence[Event]) -> set[str]:
    assert {one["namespace"] for one in datasets} <= {"s3://b", "kafka://k:9092"}
    return {one["name"] for one in datasets}


def _columns(truth: Event) -> None:
    """The views' columns come from the day's events, which are among the inputs, and columns of these."""
    (events_read,) = (one for one in truth["inputs"] if one["name"] == "truth/events")
    known = {
        f"{field['name']}.{inner['name']}"
        for field in events_read["facets"]["schema"]["fields"]
        for inner in field.get("fields", [])
    } | {field["name"] for field in events_read["facets"]["schema"]["fields"]}
    views = [one for one in truth["outputs"] if "columnLineage" in one["facets"]]
    assert len(views) == len(truth["outputs"]) - 2
    for view in views:
        own = {field["name"] for field in view["facets"]["schema"]["fields"]}
        lineage = view["facets"]["columnLineage"]
        assert {*lineage["fields"]} <= own
        sources = [each for one in lineage["fields"].values() for each in one["inputFields"]]
        for source in [*sources, *lineage["dataset"]]:
            assert (source["namespace"], source["name"]) == ("s3://b", "truth/events")
            assert source["field"] in known

"""The tutorials of streaming/README.md on a running platform: a view and a topic are added to a lake that has a settled day.

Data flow: a platform of a copy of the tree -> a day, its night -> the tutorials -> restart, night, gold, docs, report
Run: pytest -m soak tests/platform/test_91_tutorial.py
"""

import json
import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from fewer import leave_few
from running import Platform, until
from started import COPY_PORTS
from traffic import order_id_of, placed
from tutorial import TOPIC, VIEW, copied, performed, python

from infra.failures import PERMANENT_EXIT
from infra.jvm import QUICK_JVM
from infra.services.processes import left_over
from infra.settings import ROOT, load
from infra.spark_conf import FEW_ROWS

pytestmark = [pytest.mark.platform, pytest.mark.soak]

DAY = datetime.now(UTC).date() - timedelta(days=3)
NOON = datetime(DAY.year, DAY.month, DAY.day, 12, tzinfo=UTC)
ORDERS = [placed(f"tutorial {n}", NOON + timedelta(seconds=25 * n)) for n in range(20)]
"""Within the delay of each other: however the stream cuts them into micro-batches, none is late."""
CLOCK = placed("tutorial: the clock", NOON + timedelta(hours=6))
LATE = placed("tutorial: late", NOON + timedelta(minutes=1))
REVIEWS = [
    {"event_id": f"0d1c2b3a-4e5f-4a6b-8c7d-9e0f1a2b3c{n:02x}", "event_type": "review_written", "schema_version": 1}
    | {
        "event_time": int((NOON + timedelta(hours=7)).timestamp() * 1000),
        "order_id": order_id_of("tutorial 1"),
        "stars": n,
    }
    for n in range(7)
]


@dataclass(frozen=True)
class Copy:
    """A platform of a tree of its own, which is edited as a user would; `before`: what the first night had settled; `plan`: of
    the tutorials' topic and view, before they are in force."""

    platform: Platform
    folder: Path
    before: dict[str, Any]
    plan: dict[str, Any]

    def run(self, *arguments: str) -> str:
        """`python -m ...` with the copy's code, to its end."""
        done = python(self.folder, "-m", *arguments, env=self.platform.env)
        assert done.returncode == 0, f"{arguments}: {done.stdout[-3000:]}\n{done.stderr[-3000:]}"
        return done.stdout


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Copy]:
    """A tree of few views, up; a day sent, an order of it late, its night done; then the tutorials, restart, night and gold."""
    folder = leave_few(copied(tmp_path_factory.mktemp("tutorial")))
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("DAYBREAK_", "SPARK_"))}
    ours = {
        "DAYBREAK_HOME": str(folder / ".daybreak"),
        "DAYBREAK_PORT_BASE": str(COPY_PORTS),
        "PYTHONPATH": str(folder),
        "DAYBREAK_STREAM_JVM": QUICK_JVM,
        "DAYBREAK_SPARK_CONF": json.dumps(FEW_ROWS),
    }
    with pytest.MonkeyPatch.context() as patch:
        for name in os.environ.keys() - clean.keys():
            patch.delenv(name)
        for name, value in ours.items():
            patch.setenv(name, value)
        platform = Platform(load(), clean | ours)
        patch.setattr("infra.kafka.client.settings", lambda: platform.settings)
        try:
            platform.run("daybreak", "up", "--only", "kafka,store,postgres,stream,gateway")
            # With the secrets that are there now.
            platform = Platform(load(), clean | ours)
            for records in (ORDERS, [CLOCK], [LATE]):
                platform.send(records)
                platform.wait_drained()
            own = Copy(platform, folder, {}, {})
            own.run("batch", "night", "--date", str(DAY))
            (settled,) = platform.rows("reconciliation/settlements")
            performed(folder)
            plan = json.loads(platform.run("daybreak", "plan", "--day", str(DAY), "--json").stdout)
            platform.run("daybreak", "redefine", "--view", VIEW, "--no-airflow", seconds=1200)
            _review(own)
            own.run("batch", "night", "--curve", "--date", str(DAY))
            own.run("batch.gold", "build")
            own.run("batch.gold", "docs")
            yield Copy(platform, folder, settled, plan)
        finally:
            platform.run("daybreak", "down")
    assert not left_over(folder / ".daybreak")


def _review(own: Copy) -> None:
    file = own.folder / "reviews.jsonl"
    file.write_text("".join(f"{json.dumps(review)}\n" for review in REVIEWS))
    own.platform.run("daybreak", "send", TOPIC, str(file))
    own.platform.wait_drained()
    until("the reviews are validated", lambda: len(own.platform.rows("silver/quarantine")) == 2, 300)


def hours(orders: Any) -> Counter[tuple[str, datetime]]:
    """Orders per customer and hour of records that were sent."""
    events = [json.loads(order[2]) for order in orders]
    return Counter(
        (event["customer_id"], datetime.fromtimestamp(event["event_time"] // 3_600_000 * 3600, UTC)) for event in events
    )


def of_the_view(rows: list[dict[str, Any]]) -> dict[tuple[str, datetime], int]:
    return {(row["customer_id"], row["hour_start"].astimezone(UTC)): row["orders"] for row in rows}


def test_the_plan_names_the_topic_the_view_and_the_day(copy: Copy) -> None:
    assert [(one["name"], one["kind"]) for one in copy.plan["contracts"]] == [(TOPIC, "new")]
    assert [(one["name"], one["kind"]) for one in copy.plan["views"]] == [(VIEW, "new")]
    assert copy.plan["redone"] == [{"day": str(DAY), "topics": [], "views": [VIEW]}]
    assert copy.plan["command"] == f"daybreak redefine --view {VIEW}"
    (numbers,) = copy.plan["numbers"]
    assert numbers["added"] == numbers["rows"] == len(hours([*ORDERS, CLOCK, LATE]))


def test_both_layers_have_the_new_view(copy: Copy) -> None:
    speed = copy.platform.rows(f"speed/{VIEW}")
    assert of_the_view(speed) == hours([*ORDERS, CLOCK]), "the late order is left out"
    truth = copy.platform.rows(f"truth/{VIEW}")
    assert of_the_view(truth) == hours([*ORDERS, CLOCK, LATE])


def test_the_night_explains_and_corrects_it(copy: Copy) -> None:
    summary = {row["measure"]: row for row in copy.platform.rows("reconciliation/summary") if row["view"] == VIEW}
    assert (summary["orders"]["speed"], summary["orders"]["late"], summary["orders"]["truth"]) == (21, 1, 22)
    assert {row["unexplained"] for row in summary.values()} == {0}
    (evidence,) = [row for row in copy.platform.rows("reconciliation/evidence") if row["view"] == VIEW]
    assert (evidence["event_id"], evidence["cause"]) == (LATE[3], "late")
    (correction,) = [row for row in copy.platform.rows("reconciliation/corrections") if row["view"] == VIEW]
    assert (
        json.loads(correction["new"])["orders"]
        == of_the_view(copy.platform.rows(f"truth/{VIEW}"))[(json.loads(LATE[2] or b"")["customer_id"], NOON)]
    )
    assert VIEW in {row["view"] for row in copy.platform.rows("reconciliation/curve")}


def test_gold_and_its_history_serve_it(copy: Copy) -> None:
    rows = copy.platform.rows(f"gold/fct_{VIEW}")
    assert of_the_view(rows) == hours([*ORDERS, CLOCK, LATE])
    assert Counter(row["status"] for row in rows) == {"settled": len(rows) - 1, "corrected": 1}
    asked = f"SELECT count(*) AS n FROM gold.fct_{VIEW}_history WHERE valid_to IS NULL"
    said = copy.platform.run("daybreak", "query", "--json", asked).stdout
    assert json.loads(said)["n"] == len(rows)


def test_the_docs_and_the_report_show_it(copy: Copy) -> None:
    page = (copy.folder / ".daybreak" / "dbt" / "target" / "static_index.html").read_text()
    assert f"fct_{VIEW}" in page
    assert "Orders and revenue in cents per customer and hour" in page
    copy.run("batch.report", "--date", str(DAY))
    assert VIEW in (copy.folder / ".daybreak" / "reports" / f"{DAY}.html").read_text()


def test_the_topics_events_are_events_and_the_others_are_in_quarantine(copy: Copy) -> None:
    stars = [row[TOPIC]["stars"] for row in copy.platform.rows("silver/events") if row["topic"] == TOPIC]
    assert sorted(stars) == [1, 2, 3, 4, 5]
    assert [row["reasons"] for row in copy.platform.rows("silver/quarantine")] == [["out_of_range"]] * 2
    said = copy.platform.run(
        "daybreak", "query", "--json", f"SELECT sum(stars) AS n FROM staging.stg_truth__{TOPIC}"
    ).stdout
    assert json.loads(said)["n"] == 15


def test_nothing_of_the_other_views_is_touched(copy: Copy) -> None:
    (settled,) = copy.platform.rows("reconciliation/settlements")
    old = dict(copy.before["definitions"])
    assert {
        name: version for name, version in dict(settled["definitions"]).items() if name in old and name != "events"
    } == {name: version for name, version in old.items() if name != "events"}
    others = [row for row in copy.platform.rows("reconciliation/corrections") if row["view"] != VIEW]
    assert {row["revision"] for row in others} == {1}


def test_a_topic_that_is_taken_away_is_named_with_the_way_out(copy: Copy) -> None:
    copy.platform.supervisor().stop("stream", wait=True)
    # This tree knows neither the topic nor the view.
    refused = python(ROOT, "-m", "streaming", env=copy.platform.env)
    assert refused.returncode == PERMANENT_EXIT, refused.stderr[-3000:]
    assert f"no contract names {TOPIC} any more" in refused.stderr
    rebuilt = python(ROOT, "-m", "streaming", "rebuild", env=copy.platform.env)
    assert "resumes at" in rebuilt.stdout, rebuilt.stderr[-3000:]

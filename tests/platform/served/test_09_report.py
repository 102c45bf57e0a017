"""The report of a real night: its figures are the tables', its queries run, and Airflow shows it to those who may see it."""

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from browser import CHROMIUM, Page, browser
from fewer import SERVED
from running import VIEWS, Platform

from infra.lake.s3 import client
from infra.sql import gateway
from streaming import views

pytestmark = pytest.mark.platform

DAY = datetime.now(UTC).date() - timedelta(days=1)
"""The shop's day."""


@pytest.fixture(scope="module")
def html(platform: Platform) -> str:
    """The page as the bucket keeps it."""
    platform.wait_drained()
    platform.run("batch", "night", "--curve", "--date", str(DAY))
    said = platform.run("batch.report", "--date", str(DAY)).stdout.split()
    kept = client(platform.settings).get_object(platform.settings.bucket, f"reports/{DAY}.html")
    try:
        content = kept.read()
    finally:
        kept.close()
    file = platform.settings.home / "reports" / f"{DAY}.html"
    assert said == [f"s3://{platform.settings.bucket}/reports/{DAY}.html", str(file)]
    assert file.read_bytes() == content
    assert len(content) < 2_000_000
    return content.decode()


@pytest.fixture(scope="module")
def figures(html: str) -> dict[str, Any]:
    (inside,) = re.findall(r'<script type="application/json" id="figures">(.*?)</script>', html, re.DOTALL)
    found: dict[str, Any] = json.loads(inside)
    return found


def test_the_waterfall_is_the_summary(platform: Platform, figures: dict[str, Any]) -> None:
    rows = [row for row in platform.rows("reconciliation/summary") if row["day"] == DAY]
    own = {(one["view"], one["measure"]): one["steps"] for one in figures["waterfalls"] if one["day"] == str(DAY)}
    assert own.keys() == {(row["view"], row["measure"]) for row in rows}
    assert {(row["unexplained"], row["rows_unexplained"]) for row in rows} == {(0, 0)}
    for row in rows:
        steps = own[row["view"], row["measure"]]
        assert (steps[0]["end"], steps[-1]["end"]) == (row["speed"], row["truth"])
        assert steps[-2]["end"] == row["truth"], "the causes lead all the way"


def test_the_waits_and_the_freshness_are_of_every_event(platform: Platform, figures: dict[str, Any]) -> None:
    rows = [row for row in platform.rows("reconciliation/lateness") if row["day"] == DAY]
    for one in figures["lateness"]:
        assert one["watermark"] == platform.settings.watermark_delay_seconds
        for basis, name in (("log", "in_order"), ("stream", "as_read")):
            events = sum(row["events"] for row in rows if (row["view"], row["basis"]) == (one["view"], basis))
            assert sum(part[name] for part in one["bins"]) == events > 0
    silver = [row for row in platform.rows("silver/events", "day", "late_by_ms") if row["day"] == DAY]
    on_time = sum(row["late_by_ms"] == 0 for row in silver)
    for clock in ("event", "arrival"):
        placed = [one["events"] for one in figures["fresh"] if (one["clock"], one["stage"]) == (clock, "silver")]
        assert sum(placed) == on_time > 0
    assert max(one["events"] for one in figures["lagging"]) > 0


def test_the_waits_of_every_view_are_those_of_its_inputs(platform: Platform, html: str) -> None:
    delay = platform.settings.watermark_delay_seconds
    rows = [row for row in platform.rows("reconciliation/lateness") if (row["day"], row["basis"]) == (DAY, "stream")]
    silver = [row for row in platform.rows("silver/events", "topic", "day", "late_by_ms") if row["day"] == DAY]
    for name in SERVED:
        late = [row["late_by_ms"] for row in silver if row["topic"] in views.VIEWS[name].inputs]
        waits = [(row["required_delay_seconds"], row["events"]) for row in rows if row["view"] == name]
        assert sum(events for _, events in waits) == len(late)
        assert sum(events for wait, events in waits if wait <= delay) == late.count(0)
        assert late.count(0) > 0, name


def test_every_offset_is_on_the_page(platform: Platform, figures: dict[str, Any]) -> None:
    checked = platform.rows("reconciliation/conservation", "topic", "partition", "to")
    ends = {(row["topic"], row["partition"]): 0 for row in checked}
    for row in checked:
        ends[row["topic"], row["partition"]] = max(ends[row["topic"], row["partition"]], row["to"])
    assert {(one["topic"], one["partition"]): one["end"] for one in figures["kept"]} == ends
    assert sum(one["faults"] for one in figures["kept"]) == 0


@pytest.fixture(scope="module")
def drawn(platform: Platform, html: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """The file in a browser."""
    if CHROMIUM is None:
        pytest.skip("there is no Chromium on this machine")
    with browser(tmp_path_factory.mktemp("chromium")) as page:
        page.open(platform.settings.home / "reports" / f"{DAY}.html", 1280, dark=False)
        yield page
        assert page.errors == []


def test_a_browser_draws_the_differences_of_every_day(platform: Platform, drawn: Page) -> None:
    found = {
        (row["day"], row["view"]): (int(row["differing"]), int(row["unexplained"]))
        for row in drawn.marks("differences")
    }
    told = {
        (str(row["day"]), row["view"]): (row["rows_differing"], row["rows_unexplained"])
        for row in platform.rows("reconciliation/summary")
    }
    assert {(str(DAY), view) for view in VIEWS} <= found.keys()
    assert found == {key: told[key] for key in found}


def test_every_kind_of_query_runs(
    platform: Platform, html: str, figures: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    platform.run("daybreak", "up")
    found = {one["behind"]["sql"] for part in ("kept", "lost", "served", "lagging") for one in figures[part][:1]}
    found |= {one["behind"]["sql"] for one in figures["fresh"][:1]}
    found |= {step["behind"]["sql"] for one in figures["waterfalls"] if one["day"] == str(DAY) for step in one["steps"]}
    found |= {cell["behind"]["sql"] for cell in figures["heat"] if cell["day"] == str(DAY)}
    found |= {
        point["behind"]["sql"] for one in figures["curves"][:1] for point in (one["points"][0], one["points"][-1])
    }
    found |= {part["behind"]["sql"] for one in figures["lateness"][:1] for part in (one["bins"][0], one["bins"][-1])}
    shown = re.findall(r"<pre tabindex=\"0\"><code>(SELECT .+?)</code>", html, re.DOTALL)
    assert len(shown) == 8
    # As `daybreak query` asks it, but over one connection: a command of its own for each takes seconds to start.
    monkeypatch.setattr(gateway, "settings", lambda: platform.settings)
    with gateway.opened() as asked:
        for sql in sorted(found):
            asked.execute(sql)


def test_airflow_shows_it_to_those_who_may_see_it(platform: Platform, html: str) -> None:
    platform.run("daybreak", "up")
    s = platform.settings
    login = {"username": s.airflow_user, "password": s.airflow_password.get_secret_value()}
    with httpx.Client(base_url=s.airflow_url, timeout=60, trust_env=False) as airflow:
        assert airflow.get(f"/reconciliation/{DAY}.html").status_code == 401
        token = airflow.post("/auth/token", json=login).json()["access_token"]
        airflow.headers["Authorization"] = f"Bearer {token}"
        assert airflow.get(f"/reconciliation/{DAY}.html").text == html
        assert "No report of 2020-01-01 yet" in airflow.get("/reconciliation/2020-01-01.html").text
        assert airflow.get("/api/v2/plugins/importErrors").json()["total_entries"] == 0
        shown = [
            view for plugin in airflow.get("/api/v2/plugins").json()["plugins"] for view in plugin["external_views"]
        ]
        assert {view["destination"] for view in shown if view["href"].startswith("/reconciliation/")} == {
            "nav",
            "dag_run",
        }
        runs = airflow.get("/api/v2/dags/nightly/dagRuns").json()["dag_runs"]
        for run in runs[:2]:
            day = run["data_interval_start"][:10]
            own = airflow.get("/reconciliation/run", params={"dag_id": "nightly", "run_id": run["dag_run_id"]})
            assert f"No report of {day} yet" in own.text or f'<time datetime="{day}">' in own.text
            led = airflow.get(f"/reconciliation/night/{day}")
            assert led.status_code == 307
            assert led.headers["location"].startswith("/dags/nightly/runs/")

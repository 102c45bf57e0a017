"""Corrections for others: sent once wherever the publisher dies, and with the stream's changes they make the truth."""

import json
import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime, time, timedelta
from itertools import pairwise
from typing import Any

import pytest
from follower import Follower, records
from running import VIEWS, Platform, until
from traffic import order_id_of, paid, placed
from truth_check import Rows, answered

from infra.failures import PERMANENT_EXIT, PermanentFailure

pytestmark = pytest.mark.platform

DAY = datetime.now(UTC).date() - timedelta(days=7)
NOON = datetime.combine(DAY, time(12), UTC)
"""A day of which the stream hears only now: all of its events are late, so every row of it is corrected."""


@pytest.fixture(scope="module", autouse=True)
def alone(platform: Platform) -> Iterator[None]:
    """No night of Airflow's comes between: it would stand at the failpoints of these. The stream's clock has come to now."""
    supervisor = platform.supervisor()
    airflow = [name for name, process in supervisor.processes().items() if "airflow" in name and process.state.is_up]
    for name in airflow:
        supervisor.stop(name, wait=True)
    platform.send([placed("the clock", datetime.now(UTC))])
    platform.wait_drained()
    # What a night of Airflow's left, if it was stopped just now.
    platform.run("batch", "publish")
    yield
    for name in airflow:
        supervisor.begin(name)


def night(platform: Platform) -> None:
    platform.run("batch", "night", "--date", str(DAY))


def ledger(platform: Platform) -> list[dict[str, Any]]:
    """The table's rows in their order; none before the first night."""
    with suppress(PermanentFailure):
        return sorted(platform.rows("reconciliation/corrections"), key=lambda row: row["sequence"])
    return []


def told(platform: Platform) -> list[dict[str, Any]]:
    """What a read-committed consumer gets, partition by partition."""
    return [json.loads(record.value()) for record in records(platform)]


def sequences(platform: Platform) -> list[int]:
    return sorted(value["sequence"] for value in told(platform))


def killed_at(platform: Platform, place: str) -> None:
    """A night of DAY stands at `place` and is killed there."""
    platform.hold(place)
    process = platform.begin("batch", "night", "--date", str(DAY))
    platform.reached(place)
    assert int((platform.settings.home / "failpoints" / f"{place}.reached").read_text()) == process.pid
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    platform.release(place)


def test_a_night_killed_beside_its_commit_sends_nothing_twice(platform: Platform) -> None:
    before = len(ledger(platform))
    assert sequences(platform) == list(range(1, before + 1))
    platform.send([placed(f"followed {n}", NOON + timedelta(minutes=n)) for n in range(5)])
    platform.send([paid("followed 1", NOON + timedelta(minutes=10)), paid("followed 2", NOON + timedelta(minutes=63))])
    platform.wait_drained()

    killed_at(platform, "publish.before-commit")
    assert DAY in {row["day"] for row in platform.rows("reconciliation/settlements")}, "settled, though not published"
    after = [row["sequence"] for row in ledger(platform)]
    assert after == list(range(1, len(after) + 1))
    assert len(after) >= before + 10
    assert sequences(platform) == list(range(1, before + 1)), "told by a night that had not committed"
    lying = [record for record in records(platform, "read_uncommitted") if record.value()]
    assert len(lying) > before, "the failpoint is one: the records are in the log"

    night(platform)
    assert [row["sequence"] for row in ledger(platform)] == after
    # The commit is decided before the broker has marked it in every partition.
    until("all of it", lambda: sequences(platform) == after, 60)
    copies = [json.loads(record.value())["sequence"] for record in records(platform, "read_uncommitted")]
    assert len(copies) > len(set(copies)) == len(after), "the undone copies are still there, and hidden"


def test_the_topic_is_the_ledger_and_a_rows_corrections_are_in_order(platform: Platform) -> None:
    rows = {row["sequence"]: row for row in ledger(platform)}
    last: dict[bytes, list[dict[str, Any]]] = {}
    for record in records(platform):
        value = json.loads(record.value())
        row = rows[value["sequence"]]
        assert {name: value[name] for name in ("view", "cause", "run", "definition", "revision")} == {
            name: row[name] for name in ("view", "cause", "run", "definition", "revision")
        }
        assert (value["day"], value["key"]) == (str(row["day"]), json.loads(row["key"]))
        assert [value[name] for name in ("old", "new")] == [json.loads(row[name] or "null") for name in ("old", "new")]
        assert datetime.fromisoformat(value["corrected_at"]) == row["corrected_at"].astimezone(UTC)
        last.setdefault(record.key(), []).append(value)
    for values in last.values():
        for one, other in pairwise(values):
            assert one["sequence"] < other["sequence"]
            assert one["new"] == other["old"]


def test_a_follower_ends_at_the_truth_of_every_settled_day(platform: Platform) -> None:
    follower = Follower(platform)
    follower.catch_up()
    assert untrue(platform, {view: follower.answer(view) for view in VIEWS}) == []
    platform.send([placed("followed again", NOON + timedelta(minutes=1, seconds=30))])
    platform.send([paid("followed 3", NOON + timedelta(minutes=20))])
    platform.wait_drained()
    night(platform)
    follower.catch_up()
    assert untrue(platform, {view: follower.answer(view) for view in VIEWS}) == []
    uncorrected = {view: {key: one[1] for key, one in follower.said[view].items()} for view in VIEWS}
    assert {fault.split()[0] for fault in untrue(platform, uncorrected)} == set(VIEWS), "the corrections did it"
    assert {value["revision"] for value in told(platform) if value["day"] == str(DAY)} == {1, 2}


def test_the_command_shows_a_days_corrections(platform: Platform) -> None:
    said = platform.run("daybreak", "corrections", "--day", str(DAY), "--view", VIEWS[0]).stdout
    shown = sorted(json.loads(line)["sequence"] for line in said.splitlines())
    assert shown == sorted(v["sequence"] for v in told(platform) if (v["day"], v["view"]) == (str(DAY), VIEWS[0]))
    assert shown


def test_a_corrected_row_is_explained_down_to_its_events(platform: Platform) -> None:
    """The minute of `followed 1`, corrected twice; and order `followed 1`, which has a payment."""
    silver = {(row["topic"], row["partition"], row["offset"]): row for row in platform.rows("silver/events")}
    minute = f"{NOON + timedelta(minutes=1):%Y-%m-%d %H:%M}"
    for view, *words in (("gold.fct_order_totals", *minute.split()), ("order_payments", order_id_of("followed 1"))):
        told = json.loads(platform.run("daybreak", "explain", view, *words, "--json").stdout)
        own = [row for row in ledger(platform) if row["view"] == told["view"] and json.loads(row["key"]) == told["key"]]
        corrected = [one for one in told["steps"] if one["kind"] == "corrected"]
        assert [(one["sequence"], one["run"], one["cause"], one["row"]) for one in corrected] == [
            (row["sequence"], row["run"], row["cause"], json.loads(row["new"])) for row in own
        ]
        events = [event for one in told["steps"] for event in one["events"]]
        assert len(events) == told["events"]["in_all"] == 2
        for event in events:
            row = silver[event["topic"], event["partition"], event["offset"]]
            assert (event["event_id"], event["late_by_ms"]) == (row["event_id"], row["late_by_ms"])
            assert datetime.fromisoformat(event["arrived"]) == row["arrival"]
            assert event["cause"] == ("partner_late" if event["topic"] == "payments" else "late")
    shown = platform.run("daybreak", "explain", view, *words).stdout
    assert all(f"{event['topic']}-{event['partition']} at {event['offset']}" in shown for event in events)
    assert max(map(len, shown.splitlines())) <= 100


def test_nobody_else_may_send_there(platform: Platform) -> None:
    refused = platform.run("daybreak", "send", "corrections", "--key", "view", "/dev/null", check=False)
    assert refused.returncode == PERMANENT_EXIT
    assert "only the night writes the topic" in refused.stderr


def untrue(platform: Platform, cache: dict[str, Rows]) -> list[str]:
    """Where a cache is not truth/<view>, of every settled day."""
    covered = {row["day"] for row in platform.rows("reconciliation/settlements")}
    faults = []
    for view in VIEWS:
        truth = {key: values for key, values, _ in answered(platform, "truth", view) if key[-1] in covered}
        found = {key: values for key, values in cache[view].items() if key[-1] in covered}
        wrong = [key for key in truth.keys() | found.keys() if truth.get(key) != found.get(key)]
        faults += [f"{view} {key}: {found.get(key)}, truth {truth.get(key)}" for key in wrong]
    return faults

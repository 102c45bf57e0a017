"""Another version of a view is tried beside the one in force: abandoned, and then promoted, with its corrections approved.

Last in its folder: afterwards the platform serves the other version.
"""

import json
import os
import signal
import subprocess
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from approval import limited, noon
from deployment import EDITS
from running import Platform, until
from traffic import placed

from infra.failures import PERMANENT_EXIT
from infra.in_force import LAKE_FILE
from infra.kafka.read_committed import committed
from infra.lake.s3 import client
from infra.services.fork import known
from infra.services.processes import left_over
from infra.settings import load, settings
from infra.store_users import User

pytestmark = [pytest.mark.platform, pytest.mark.soak]

DAY = datetime.now(UTC).date() - timedelta(days=8)
ORDERS = 12
RIGHT, OTHER = 2_498, 1_499
"""Cents of an order by the version in force, and by the one that is tried."""
VIEW = "streaming/shop/views/order_totals.py"


@dataclass(frozen=True)
class Tried:
    """What was served and said on the way; `after` is the platform with the settings that are in force then."""

    after: Platform
    abandoned: tuple[Any, Any, Any]
    beside: tuple[Counter[int], Counter[int]]
    said: str
    status: str
    refused: dict[str, str]
    promoted: Counter[int]


def revenue(platform: Platform) -> Counter[int]:
    """Of each row of the day that SQL finds in gold."""
    sql = f"SELECT revenue_cents FROM gold.fct_order_totals WHERE day = DATE'{DAY}'"
    lines = platform.run("daybreak", "query", sql, "--json").stdout.splitlines()
    return Counter(json.loads(line)["revenue_cents"] for line in lines)


def traces(platform: Platform) -> tuple[list[str], list[str], list[int]]:
    """The buckets, the places of a home in which a try has something, and its processes."""
    s = platform.settings
    buckets = [one.name for one in client(s, user=User.ROOT).list_buckets()]
    names = [str(one.relative_to(s.home)) for folder in (s.home, s.home / "gateway") for one in folder.iterdir()]
    kept = [name for name in names if "try" in name or "metastore" in name or "checkpoints" in name]
    return sorted(buckets), sorted(kept), [one.pid for one in left_over(s.home / "try")]


def refusal(platform: Platform, *words: str) -> str:
    done = platform.run("daybreak", *words, check=False)
    assert done.returncode == PERMANENT_EXIT, done.stdout
    return str(done.stderr)


def kill(command: subprocess.Popen[str], file: Path) -> None:
    """When it has come so far that there is this file."""
    until(f"{file} is there", file.exists, 600)
    os.killpg(command.pid, signal.SIGKILL)
    command.communicate()


@pytest.fixture(scope="module")
def tried(platform: Platform) -> Tried:
    at = noon(DAY)
    platform.send([placed(f"tried {n}", at + timedelta(minutes=n)) for n in range(ORDERS)])
    platform.wait_drained()
    platform.run("daybreak", "up", "--only", "gateway")
    platform.run("batch", "night", "--date", str(DAY))
    platform.run("batch.gold", "build")
    before = traces(platform)
    file, (right, other) = platform.source / VIEW, EDITS[VIEW]
    file.write_text(file.read_text().replace(right, other))
    refused = {"no try": refusal(platform, "promote")}
    begun = platform.begin("daybreak", "plan", "--try")
    kill(begun, platform.settings.home / "try" / "run" / "stream.json")
    during = traces(platform)
    refused |= {"second": refusal(platform, "plan", "--try"), "not whole": refusal(platform, "promote")}
    platform.run("daybreak", "abandon")
    abandoned = (before, during, traces(platform))
    with limited(platform):
        said = platform.run("daybreak", "plan", "--try").stdout
        fork = known(platform.settings)
        assert fork
        beside = (revenue(platform), in_gold(Platform(fork.own, platform.env)))
        status = platform.run("daybreak", "status", check=False).stdout
        refused["asked"] = refusal(platform, "promote")
        for day in waiting(Platform(fork.own, platform.env)):
            platform.run("daybreak", "decide", "--try", "--date", day, "--approve", "--note", "a new rule")
        kill(platform.begin("daybreak", "promote"), platform.settings.home / LAKE_FILE)
        refused["decided"] = refusal(platform, "abandon")
        platform.run("daybreak", "promote")
    settings.cache_clear()
    after = Platform(load(), platform.env, source=platform.source)
    return Tried(after, abandoned, beside, said, status, refused, revenue(after))


def in_gold(platform: Platform) -> Counter[int]:
    return Counter(row["revenue_cents"] for row in platform.rows("gold/fct_order_totals") if row["day"] == DAY)


def waiting(platform: Platform) -> list[str]:
    settled = {row["day"] for row in platform.rows("reconciliation/settlements", "day")}
    return sorted(
        {str(row["day"]) for row in platform.rows("reconciliation/decisions", "day") if row["day"] not in settled}
    )


def test_an_abandoned_try_leaves_no_trace(tried: Tried) -> None:
    before, during, after = tried.abandoned
    assert after == before
    assert all(len(there) > len(then) for there, then in zip(during, before, strict=True)), (
        "it had something everywhere"
    )


def test_both_versions_are_there_and_the_old_one_is_served(tried: Tried) -> None:
    assert tried.beside == (Counter({RIGHT: ORDERS}), Counter())
    assert f"{DAY} would be corrected by more than the approval threshold" in tried.said.replace("\n", " ")
    assert "a try runs, begun at" in tried.status


def test_what_cannot_be_done_is_refused_with_a_sentence(tried: Tried) -> None:
    assert "there is no try: daybreak plan --try begins one" in tried.refused["no try"]
    assert "there is a try already" in tried.refused["second"]
    assert "is not whole yet; daybreak abandon removes it" in tried.refused["not whole"]
    assert f"{DAY} waits for an approval in the try" in tried.refused["asked"]
    assert "is being promoted: daybreak promote brings it to its end" in tried.refused["decided"]


def test_what_is_promoted_is_served_and_corrected(tried: Tried) -> None:
    assert tried.promoted == Counter({OTHER: ORDERS})
    ledger = [row for row in tried.after.rows("reconciliation/corrections") if row["day"] == DAY]
    found = [
        (json.loads(row["old"])["revenue_cents"], json.loads(row["new"])["revenue_cents"], row["cause"])
        for row in ledger
        if (row["view"], row["revision"]) == ("order_totals", 2)
    ]
    # What was served was the truth of the other definition; the stream has left these orders out, by either.
    assert found == [(RIGHT, OTHER, "definition+late")] * ORDERS
    truth = [row["revenue_cents"] for row in tried.after.rows("truth/order_totals") if row["day"] == DAY]
    assert truth == [OTHER] * ORDERS


def test_consumers_get_each_correction_once(tried: Tried) -> None:
    ledger = [row["sequence"] for row in tried.after.rows("reconciliation/corrections", "sequence")]
    sent = [json.loads(one.value() or b"")["sequence"] for one in committed(tried.after.settings.corrections_topic)]
    assert sorted(ledger) == [*range(1, len(ledger) + 1)]
    # Compaction may have removed older ones of a row.
    assert len(sent) == len(set(sent))
    assert max(sent) == len(ledger)


def test_the_stream_goes_on_by_the_new_version(tried: Tried) -> None:
    assert traces(tried.after)[0] == ["lake-2"]
    assert known(tried.after.settings) is None
    now = datetime.now(UTC)
    tried.after.send([placed("tried: afterwards", now)])
    tried.after.wait_drained()
    rows = [row for row in tried.after.rows("speed/order_totals") if row["window_start"].astimezone(UTC) <= now]
    newest = max(rows, key=lambda row: (row["generation"], row["as_of"]))
    assert (
        newest["definition"] == dict(tried.after.rows("reconciliation/settlements")[0]["definitions"])["order_totals"]
    )

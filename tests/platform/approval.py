"""One backfill of two nights, with a day that is settled by itself and a day that a person is asked about, told to its end.

Data flow: three days, a limit -> nights by hand, `daybreak backfill`, `daybreak decide` -> Story: what was said on the way
Run: pytest tests/platform/served/test_08_airflow.py tests/platform/served/test_08_approval.py
"""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from running import Platform, until
from schedule import skip_last_night
from traffic import burst, paid, placed

from infra.airflow.client import Airflow
from infra.airflow.runs import ApprovalRequest, Run

# Days that no other test settles, and late enough for their nights to be due at any hour.
HELD, EVE, OTHER = (datetime.now(UTC).date() - timedelta(days=back) for back in (4, 5, 6))
"""The backfill is of EVE, of which nothing was sent, and of HELD; OTHER is settled before, and then touched."""
LIMIT = 'DAYBREAK_APPROVAL_THRESHOLD={"order_totals": 0.2, "order_payments": 0.2}\nDAYBREAK_APPROVAL_MIN_ROWS=1\n'
FACTS = ("fct_orders", "fct_order_totals", "fct_order_payments", "fct_daily_orders")
DAG = "nightly"


@dataclass(frozen=True)
class Story:
    """The platform after it; `when_asked` is what gold said of HELD, fact by fact, while Airflow waited for the answer."""

    platform: Platform
    refused: subprocess.CompletedProcess[str]
    settled_when_refused: dict[date, int]
    again: subprocess.CompletedProcess[str]
    request: ApprovalRequest
    when_asked: dict[str, set[str]]
    settled_when_asked: dict[date, int]
    reported_when_asked: list[dict[str, Any]]
    answered: str
    decisions: list[dict[str, Any]]
    runs: tuple[Run, ...]


def told(platform: Platform) -> Story:
    """Bring the whole platform up and tell the story. The limit is in force only here: other days come too late for it."""
    _send(platform)
    platform.run("daybreak", "up")
    skip_last_night(platform)
    platform.wait_drained()
    # Its curve is Airflow's to draw.
    platform.run("batch", "night", "--date", str(OTHER))
    with limited(platform):
        refused, settled_then = night(platform), settled(platform)
        by_hand = ("batch", "decide", "--date", str(HELD), "--reject", "--note=--not yet", "--by=ann")
        platform.run(*by_hand)
        again = night(platform)
        # One order more than ten: a small correction of what is settled, though the stream has said nothing of that day.
        platform.send([placed(f"approval {OTHER} more", noon(OTHER) + timedelta(minutes=30))])
        platform.send([placed(f"approval {HELD} more", noon(HELD) + timedelta(minutes=30))])
        platform.send([paid(f"approval {HELD} more", noon(HELD) + timedelta(minutes=31))])
        platform.wait_drained()
        backfill = platform.begin("daybreak", "backfill", "--from", str(EVE), "--to", str(HELD))
        airflow = Airflow(platform.settings)

        def asked() -> ApprovalRequest | None:
            assert backfill.poll() is None, backfill.communicate()
            return next((one for one in airflow.requests(DAG) if one.about == str(HELD)), None)

        request = until("Airflow asks", asked, 1800)
        until("the other day is served", lambda: served(platform, OTHER) == 11, 1800)
        until("every fact is there", lambda: all(platform.exists(f"gold/{fact}") for fact in FACTS), 600)
        in_gold = {fact: platform.rows(f"gold/{fact}", "day", "status") for fact in FACTS}
        when_asked = {fact: {row["status"] for row in rows if row["day"] == HELD} for fact, rows in in_gold.items()}
        reported = [row for row in platform.rows("gold/rpt_reconciliation") if row["day"] == HELD]
        settled_asked = settled(platform)
        said = platform.run("daybreak", "decide", "--date", str(HELD), "--approve", "--note", "a failpoint").stdout
        output, errors = backfill.communicate(timeout=2400)
        assert backfill.returncode == 0, f"{output}\n{errors}"
        found = decisions(platform)
    runs = Airflow(platform.settings).runs(DAG, noon(EVE) - timedelta(hours=12), noon(HELD))
    return Story(
        platform, refused, settled_then, again, request, when_asked, settled_asked, reported, said, found, runs
    )


def _send(platform: Platform) -> None:
    """The stream's clock first, so that both days are behind it."""
    platform.send([placed("airflow: the clock", datetime.now(UTC)), *burst(800)])
    platform.wait_drained()
    for day, orders in ((OTHER, 10), (HELD, 3)):
        at = noon(day)
        platform.send([placed(f"approval {day} {n}", at + timedelta(minutes=20 * n)) for n in range(orders)])
        platform.send([paid(f"approval {day} 0", at + timedelta(minutes=1))])
    # Too late for the hour that a payment has.
    platform.send([paid(f"approval {OTHER} 3", noon(OTHER) + timedelta(hours=3))])


@contextmanager
def limited(platform: Platform) -> Iterator[None]:
    """The limit, in the file that every command reads."""
    secrets = platform.settings.home / "secrets.env"
    before = secrets.read_text()
    secrets.write_text(f"{before.rstrip()}\n{LIMIT}")
    try:
        yield
    finally:
        secrets.write_text(before)


def noon(day: date) -> datetime:
    return datetime.combine(day, time(12), UTC)


def night(platform: Platform) -> subprocess.CompletedProcess[str]:
    """A night of HELD by hand."""
    return platform.run("batch", "night", "--date", str(HELD), check=False)


def decisions(platform: Platform) -> list[dict[str, Any]]:
    rows = [row for row in platform.rows("reconciliation/decisions") if row["day"] == HELD]
    return sorted(rows, key=lambda row: row["number"])


def settled(platform: Platform) -> dict[date, int]:
    return {row["day"]: row["revision"] for row in platform.rows("reconciliation/settlements", "day", "revision")}


def served(platform: Platform, day: date) -> int:
    """The orders of a day as gold has them settled; 0 before gold was ever built."""
    if not platform.exists("gold/fct_daily_orders"):
        return 0
    rows = platform.rows("gold/fct_daily_orders", "day", "status", "orders")
    return next((row["orders"] for row in rows if row["day"] == day and row["status"] != "provisional"), 0)

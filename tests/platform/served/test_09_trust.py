"""A correction that is larger than the stream is trusted with: nobody's day is settled before a person has said so.

The limit is set here only: every day of the other tests is one of which the stream hears too late.
"""

import subprocess
from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import pytest
from running import Platform, until
from schedule import skip_last_night
from traffic import paid, placed
from truth_check import untrue

from infra.airflow import Airflow, Question
from infra.failures import PERMANENT_EXIT

pytestmark = pytest.mark.platform

# Days that no other test settles, and late enough for their nights to be due at any hour.
HELD, OTHER = (datetime.now(UTC).date() - timedelta(days=back) for back in (11, 12))
LIMIT = 'DAYBREAK_TRUST={"order_totals": 0.2, "order_payments": 0.2}\nDAYBREAK_TRUST_ROWS=1\n'
DAG = "nightly"


def noon(day: date) -> datetime:
    return datetime.combine(day, time(12), UTC)


@pytest.fixture(scope="module")
def limited(platform: Platform) -> Iterator[Platform]:
    """The whole platform; a settled day of ten orders; then the limit, in the file that every command reads."""
    platform.send([placed(f"trust {OTHER} {n}", noon(OTHER) + timedelta(minutes=n)) for n in range(10)])
    platform.send([placed(f"trust {HELD} {n}", noon(HELD) + timedelta(minutes=n)) for n in range(3)])
    platform.run("daybreak", "up")
    skip_last_night(platform)
    platform.wait_drained()
    platform.run("batch", "night", "--date", str(OTHER))
    secrets = platform.settings.home / "secrets.env"
    before = secrets.read_text()
    secrets.write_text(f"{before.rstrip()}\n{LIMIT}")
    yield platform
    secrets.write_text(before)


def decisions(platform: Platform) -> list[dict[str, Any]]:
    rows = [row for row in platform.rows("reconciliation/decisions") if row["day"] == HELD]
    return sorted(rows, key=lambda row: row["number"])


def settled(platform: Platform) -> dict[date, int]:
    return {row["day"]: row["revision"] for row in platform.rows("reconciliation/coverage", "day", "revision")}


def night(platform: Platform, by: str) -> subprocess.CompletedProcess[str]:
    return platform.run(by, "night", "--date", str(HELD), check=False)


def test_a_night_without_airflow_stops_and_says_how_to_answer(limited: Platform) -> None:
    for by in ("batch", "daybreak"):
        refused = night(limited, by)
        assert refused.returncode == PERMANENT_EXIT
        assert f"{HELD} would be corrected by more than it is trusted with" in refused.stderr
        assert "orders of order_totals from 0 to 3, 100.0 % of the truth, trusted with 20 %" in refused.stderr
        assert f"daybreak decide --date {HELD} --approve --note" in refused.stderr
        assert HELD not in settled(limited)
    (asked,) = decisions(limited)
    assert (asked["decision"], asked["decided_by"]) == ("asked", None)
    assert (asked["before"], asked["share"], asked["trusted"]) == (0, Decimal("1.0000"), Decimal("0.2000"))
    assert not [row for row in limited.rows("reconciliation/corrections", "day") if row["day"] == HELD]


def test_a_rejected_day_stays_provisional_and_is_not_asked_about_again(limited: Platform) -> None:
    unreasoned = limited.run("daybreak", "decide", "--date", str(HELD), "--reject", check=False)
    assert unreasoned.returncode == PERMANENT_EXIT
    limited.run("daybreak", "decide", "--date", str(HELD), "--reject", "--note", "--not yet")
    rejected = decisions(limited)[-1]
    assert (rejected["decision"], rejected["note"]) == ("rejected", "--not yet")
    assert rejected["decided_by"]
    again = night(limited, "batch")
    assert again.returncode == 0, again.stderr
    assert f"not settled: {HELD} was rejected by {rejected['decided_by']}" in again.stdout
    assert [row["decision"] for row in decisions(limited)] == ["asked", "rejected"]
    assert HELD not in settled(limited)
    limited.run("infra.gold", "build")
    for mart in ("fct_daily_orders", "fct_order_totals", "fct_orders"):
        status = {row["status"] for row in limited.rows(f"gold/{mart}", "day", "status") if row["day"] == HELD}
        assert status <= {"provisional"}, mart
    reported = [row for row in limited.rows("gold/rpt_reconciliation") if row["day"] == HELD]
    assert {(row["decision"], row["decided_by"], row["note"], row["settled_at"]) for row in reported} == {
        ("rejected", rejected["decided_by"], "--not yet", None)
    }


def test_airflow_asks_with_the_waterfall_and_the_other_days_do_not_wait(limited: Platform) -> None:
    assert settled(limited)[OTHER] == 1
    # One order more than ten: a small correction of what is settled, though the stream has said nothing of that day.
    limited.send([placed(f"trust {OTHER} more", noon(OTHER) + timedelta(minutes=30))])
    limited.send([placed(f"trust {HELD} more", noon(HELD) + timedelta(minutes=30))])
    limited.send([paid(f"trust {HELD} more", noon(HELD) + timedelta(minutes=31))])
    limited.wait_drained()
    backfill = limited.begin("daybreak", "backfill", "--from", str(HELD), "--to", str(HELD))
    airflow = Airflow(limited.settings)

    def asked() -> Question | None:
        assert backfill.poll() is None, backfill.communicate()
        return next((one for one in airflow.questions(DAG) if one.about == str(HELD)), None)

    question = until("Airflow asks", asked, 1800)
    assert question.subject.startswith(f"Settle {HELD}?")
    assert "| order_totals | orders | 0 | +4 | +0 | 4 |" in question.body
    until("the other day is settled", lambda: settled(limited)[OTHER] == 2)
    until("gold is built", lambda: _served(limited, OTHER) == 11, 1800)
    assert HELD not in settled(limited)
    assert [row["decision"] for row in decisions(limited)] == ["asked", "rejected", "asked"]

    said = limited.run("daybreak", "decide", "--date", str(HELD), "--approve", "--note", "a drill")
    assert "answered: the night goes on" in said.stdout
    output, errors = backfill.communicate(timeout=2400)
    assert backfill.returncode == 0, f"{output}\n{errors}"
    approved = decisions(limited)[-1]
    assert (approved["decision"], approved["note"], approved["number"]) == ("approved", "a drill", 4)
    assert approved["decided_by"] == limited.settings.airflow_user
    assert settled(limited)[HELD] == 1
    assert untrue(limited, [HELD, OTHER]) == []
    assert _served(limited, HELD) == 4
    reported = limited.rows("gold/rpt_reconciliation", "day", "decision", "revision")
    assert {(row["decision"], row["revision"]) for row in reported if row["day"] == HELD} == {(None, 1)}


def test_what_was_approved_is_settled_for_good_and_the_next_correction_is_measured_by_it(limited: Platform) -> None:
    late = limited.run("daybreak", "decide", "--date", str(HELD), "--reject", "--note", "too late", check=False)
    assert late.returncode == PERMANENT_EXIT
    assert "no longer be rejected" in late.stderr
    # One order more than four is a fifth of the truth: just what is trusted.
    limited.send([placed(f"trust {HELD} last", noon(HELD) + timedelta(minutes=40))])
    limited.wait_drained()
    limited.run("batch", "night", "--date", str(HELD))
    assert settled(limited)[HELD] == 2
    past = [row for row in limited.rows("reconciliation/past_coverage") if row["day"] == HELD]
    assert [(row["revision"], row["totals"]["order_totals.orders"]) for row in past] == [(1, 4)]
    assert len(decisions(limited)) == 4


def _served(platform: Platform, day: date) -> int:
    """The orders of a day as gold has them settled."""
    rows = platform.rows("gold/fct_daily_orders", "day", "status", "orders")
    return next((row["orders"] for row in rows if row["day"] == day and row["status"] != "provisional"), 0)

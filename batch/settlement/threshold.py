"""The approval threshold: how large a day's correction may be before a person is asked, and what that person is shown.

Data flow: the day's summary, DAYBREAK_APPROVAL_THRESHOLD -> over_threshold, figures, the waterfall as Markdown
Run: pytest tests/batch/test_threshold.py

Integers and fractions only: a limit of 0.2 is exactly a fifth.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

from batch.reconciliation.causes import STEPS
from infra.failures import PermanentFailure

UNNAMED = Decimal(1)
"""The limit of a view that DAYBREAK_APPROVAL_THRESHOLD does not name: a correction as large as the truth itself.

A day of which the stream heard nothing, or everything too late, is corrected by just that, and history that is sent at
once is such a day. More than that comes only from a stream whose sum was more than twice the truth.
"""

LARGEST = Decimal("99999999999999.9999")
"""The largest share that is written down; that of a correction to nothing, which has no end."""

ROUNDED = Decimal("0.0001")


@dataclass(frozen=True)
class Correction:
    """One measure of a view over a day: the sum served `before`, and the truth; `threshold`: the share it may change by."""

    view: str
    measure: str
    before: int
    truth: int
    threshold: Decimal

    @property
    def amount(self) -> int:
        """By how much the sum is corrected."""
        return self.truth - self.before

    @property
    def is_over(self) -> bool:
        """Is it more than the approved share of the truth?"""
        return abs(self.amount) > Fraction(self.threshold) * abs(self.truth)


def limits(thresholds: Mapping[str, Decimal], views: Iterable[str]) -> dict[str, Decimal]:
    """The limit of every view. Raises PermanentFailure if the setting names another one."""
    known = list(views)
    if unknown := sorted(thresholds.keys() - set(known)):
        raise PermanentFailure(
            f"setting DAYBREAK_APPROVAL_THRESHOLD names {', '.join(unknown)}, and the views are {', '.join(sorted(known))}"
        )
    return {view: thresholds.get(view, UNNAMED) for view in known}


def over_threshold(
    summary: Iterable[Mapping[str, Any]],
    settled: Mapping[str, int] | None,
    thresholds: Mapping[str, Decimal],
    floor: int,
) -> list[Correction]:
    """The measures of a day that are corrected by more than their threshold, the farthest over it first.

    `summary`: rows of reconciliation/summary. The sum before is that of the last settlement (`settled`), else
    what the stream had, with its rows that were not final. A view of which fewer than `floor` rows
    differ is not asked about.
    """
    found = []
    for row in summary:
        before = (settled or {}).get(f"{row['view']}.{row['measure']}", row["speed"])
        one = Correction(row["view"], row["measure"], before, row["truth"], thresholds[row["view"]])
        if row["rows_differing"] >= floor and one.is_over:
            found.append(one)
    return sorted(found, key=lambda one: (-_excess(one), one.view, one.measure))


def figures(summary: Iterable[Mapping[str, Any]]) -> str:
    """A hash of a day's summary without its run: the same figures, found again, are the same."""
    rows = sorted(
        json.dumps({k: v for k, v in row.items() if k != "run"}, sort_keys=True, default=str) for row in summary
    )
    return hashlib.sha256("\n".join(rows).encode()).hexdigest()[:12]


def totals(summary: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """`view.measure` -> its sum in the truth."""
    return {f"{row['view']}.{row['measure']}": row["truth"] for row in summary}


def share(amount: int, truth: int) -> Decimal:
    """A correction as a share of the truth, to four places."""
    if not truth:
        return LARGEST if amount else Decimal(0)
    return min(LARGEST, (Decimal(abs(amount)) / abs(truth)).quantize(ROUNDED))


def waterfall(summary: Sequence[Mapping[str, Any]]) -> str:
    """The day's way from the stream's answer to the truth, a row per measure, as a Markdown table."""
    present = [cause.value for cause in STEPS if any(row[cause.value] for row in summary)]
    columns = ["view", "measure", "speed", *present, "truth"]
    lines = [columns, ["---", "---", *["---:"] * (len(columns) - 2)]]
    for row in sorted(summary, key=lambda row: (row["view"], row["measure"])):
        moves = [f"{row[cause]:+,}" for cause in present]
        lines.append([row["view"], row["measure"], f"{row['speed']:,}", *moves, f"{row['truth']:,}"])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _excess(one: Correction) -> Fraction:
    """By how many times its limit a correction is over it; one to nothing, or with a threshold of 0, comes first."""
    allowed = Fraction(one.threshold) * abs(one.truth)
    return abs(one.amount) / allowed if allowed else Fraction(LARGEST)

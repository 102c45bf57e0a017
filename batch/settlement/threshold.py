"""The approval threshold: how large a day's correction may be without an approval, and the figures shown in a request.

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

from batch.days.day_plan import Settlement
from batch.reconciliation.causes import STEPS
from infra.failures import PermanentFailure

UNNAMED = Decimal(1)
"""The threshold of a view that DAYBREAK_APPROVAL_THRESHOLD does not name: a correction as large as the truth itself.

If the stream saw no event of a day, or saw all of them late (as when history is sent at once), the correction is exactly as
large as the truth, and needs no approval. A larger one means that the stream's sum was more than twice the truth.
"""

LARGEST = Decimal("99999999999999.9999")
"""The largest share that is stored. It stands for a correction to a truth of 0, whose share would be infinite."""

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
        """Is the correction larger than the threshold's share of the truth?"""
        return abs(self.amount) > Fraction(self.threshold) * abs(self.truth)


def limits(thresholds: Mapping[str, Decimal], views: Iterable[str]) -> dict[str, Decimal]:
    """The threshold of every view. Raises PermanentFailure if the setting names an unknown view."""
    known = list(views)
    if unknown := sorted(thresholds.keys() - set(known)):
        raise PermanentFailure(
            f"setting DAYBREAK_APPROVAL_THRESHOLD names {', '.join(unknown)}, and the views are {', '.join(sorted(known))}"
        )
    return {view: thresholds.get(view, UNNAMED) for view in known}


def over_threshold(
    summary: Iterable[Mapping[str, Any]],
    settled: Settlement | None,
    thresholds: Mapping[str, Decimal],
    floor: int,
) -> list[Correction]:
    """The measures of a day that are corrected by more than their threshold, the farthest over it first.

    `summary`: rows of reconciliation/summary. The sum before is that of the last settlement (`settled`), else the stream's,
    which includes rows that are not final. In a view whose rows stay open for days the stream's sum moves on after a settlement,
    and the settled one moves with it. A view with fewer than `floor` differing rows needs no approval.
    """
    found = []
    for row in summary:
        name = f"{row['view']}.{row['measure']}"
        before = (settled.totals if settled and settled.totals else {}).get(name, row["speed"])
        if settled and settled.totals and name in settled.by_stream:
            before += row["speed"] - settled.by_stream[name]
        one = Correction(row["view"], row["measure"], before, row["truth"], thresholds[row["view"]])
        if row["rows_differing"] >= floor and one.is_over:
            found.append(one)
    return sorted(found, key=lambda one: (-_excess(one), one.view, one.measure))


def figures(summary: Iterable[Mapping[str, Any]]) -> str:
    """A hash of a day's summary without the run id, so that another run with the same figures has the same hash.

    In a view whose rows stay open for days the sums move on from night to night: there the differences are what is approved.
    """
    rows = sorted(
        json.dumps({k: v for k, v in row.items() if k not in _moving(row)}, sort_keys=True, default=str)
        for row in summary
    )
    return hashlib.sha256("\n".join(rows).encode()).hexdigest()[:12]


def totals(summary: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """`view.measure` -> its sum in the truth."""
    return {f"{row['view']}.{row['measure']}": row["truth"] for row in summary}


def by_stream(summary: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """`view.measure` -> its sum in the stream, of views whose rows stay open for days."""
    return {f"{row['view']}.{row['measure']}": row["speed"] for row in summary if row["rows_open"] is not None}


def _moving(row: Mapping[str, Any]) -> tuple[str, ...]:
    return ("run",) if row["rows_open"] is None else ("run", "speed", "truth", "rows_open", "open_until")


def share(amount: int, truth: int) -> Decimal:
    """A correction as a share of the truth, to four places."""
    if not truth:
        return LARGEST if amount else Decimal(0)
    return min(LARGEST, (Decimal(abs(amount)) / abs(truth)).quantize(ROUNDED))


def waterfall(summary: Sequence[Mapping[str, Any]]) -> str:
    """The day's waterfall from the stream's sums to the truth, a row per measure, as a Markdown table."""
    present = [cause.value for cause in STEPS if any(row[cause.value] for row in summary)]
    columns = ["view", "measure", "speed", *present, "truth"]
    lines = [columns, ["---", "---", *["---:"] * (len(columns) - 2)]]
    for row in sorted(summary, key=lambda row: (row["view"], row["measure"])):
        moves = [f"{row[cause]:+,}" for cause in present]
        lines.append([row["view"], row["measure"], f"{row['speed']:,}", *moves, f"{row['truth']:,}"])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _excess(one: Correction) -> Fraction:
    """The correction divided by the largest one allowed; LARGEST if none is allowed (truth or threshold is 0)."""
    allowed = Fraction(one.threshold) * abs(one.truth)
    return abs(one.amount) / allowed if allowed else Fraction(LARGEST)

"""The nights' findings: per day, view and measure, the stream's sum, the truth's sum, and what each cause changed.

Data flow: reconciliation/summary -> Finding per row
Run: daybreak reconciliation --from 2026-01-01 --to 2026-01-03
"""

from dataclasses import dataclass
from datetime import date

from batch.reconciliation.causes import STEPS
from batch.reconciliation.differences import SUMMARY
from infra.lake.reader import read
from infra.settings import Settings


@dataclass(frozen=True)
class Finding:
    """One measure of one view on one day: `speed` plus every cause plus `unexplained` is `truth`."""

    day: date
    view: str
    measure: str
    speed: int
    causes: dict[str, int]
    truth: int
    unexplained: int
    rows_differing: int

    @property
    def why(self) -> str:
        """The causes that changed the sum, as text."""
        return ", ".join(f"{name.replace('_', ' ')} {value:+,}" for name, value in self.causes.items() if value) or "-"


def findings(s: Settings, first: date, last: date) -> list[Finding]:
    """The findings of the days in [first, last] that a night has reconciled."""
    table = read(s, SUMMARY.id)
    causes = [cause.value for cause in STEPS]
    rows = [row for row in table.to_pylist() if first <= row["day"] <= last]
    found = [
        Finding(
            row["day"],
            row["view"],
            row["measure"],
            row["speed"],
            {cause: row[cause] for cause in causes},
            row["truth"],
            row["unexplained"] + row["rows_unexplained"],
            row["rows_differing"],
        )
        for row in rows
    ]
    return sorted(found, key=lambda one: (one.day, one.view))

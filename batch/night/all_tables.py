"""The tables that the night writes.

Data flow: declarations of tables, VIEWS -> what a night creates at its start, and what the catalog describes
Run: daybreak tables
"""

from batch.archive.events import ARCHIVE, ARCHIVE_GAPS
from batch.conservation.check import CONSERVATION
from batch.conservation.losses_table import LOSSES
from batch.corrections.ledger import CORRECTIONS
from batch.corrections.served_open import OPEN_ROWS
from batch.curve.lateness import EVENT_LATENESS
from batch.curve.points import CURVE
from batch.due.night_state import STATE
from batch.reconciliation.differences import DIFFERENCES, SUMMARY
from batch.reconciliation.evidence import EVIDENCE
from batch.settlement.decisions import DECISIONS
from batch.settlement.settlements import PAST_SETTLEMENTS, SETTLEMENTS
from batch.truth.recompute import TRUTH, TRUTH_QUARANTINE, truth_table
from infra.lake.tables import Table
from streaming.views import VIEWS


def night_tables() -> tuple[Table, ...]:
    """All tables of the night, in the order in which they are created."""
    recomputed = (ARCHIVE, TRUTH, TRUTH_QUARANTINE)
    found = (DIFFERENCES, EVIDENCE, SUMMARY, CORRECTIONS, OPEN_ROWS, SETTLEMENTS, STATE, EVENT_LATENESS, CURVE)
    more = (ARCHIVE_GAPS, CONSERVATION, LOSSES, PAST_SETTLEMENTS, DECISIONS)
    return (*recomputed, *found, *(truth_table(view) for view in VIEWS.values()), *more)

"""The table of accepted losses: offsets that did not add up, and that a person accepted.

Data flow: faults of conservation, a person's reason -> reconciliation/losses
Run: daybreak conservation
"""

import pyarrow.compute as pc

from batch.conservation.offset_range import outside
from infra.kafka.places import Ranges
from infra.lake import arrow_tables
from infra.lake.columns import column, struct
from infra.lake.tables import Table
from streaming.tables.progress import RANGE

LOSSES = Table(
    "reconciliation",
    "losses",
    struct(
        *RANGE.fields,
        column("fault", "string", "What was wrong with them: missing, doubled or unaccounted"),
        column("accepted_at", "timestamp", "When it was accepted (UTC)"),
        column("accepted_by", "string", "Who accepted it"),
        column("note", "string", "The reason given"),
    ),
    description="A range of offsets that did not add up and that a person accepted; conservation leaves them out of its counts.",
)
"""One range of offsets [from, to) with one kind of fault, accepted by a person."""


def lost() -> Ranges:
    """The accepted ranges in which one layer may lack what the other has."""
    found: Ranges = {}
    for row in arrow_tables.rows(LOSSES, RANGE.fieldNames(), pc.field("fault") != "doubled"):
        found.setdefault((row["topic"], row["partition"]), []).append((row["from"], row["to"]))
    return found


def without(read: Ranges, lost: Ranges) -> Ranges:
    """What a layer has read, without what was lost in it."""
    left = {at: [part for one in ranges for part in outside(one, lost.get(at, ()))] for at, ranges in read.items()}
    return {at: ranges for at, ranges in left.items() if ranges}

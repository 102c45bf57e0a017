"""Why the two layers differ: a closed list.

Data flow: reconcile -> Cause on every differing row
Run: daybreak query "SELECT day, view, explode(causes) AS cause, count(*) FROM reconciliation.differences GROUP BY ALL"
"""

from enum import StrEnum


class Cause(StrEnum):
    """A cause of a difference between what the stream said and the truth (DESIGN rules 6 and 7)."""

    LATE = "late"
    """Events behind the gate: in silver, left out of the views."""
    NOT_READ = "not_read"
    """Events that the stream, or this view's query, had not read when the night looked."""
    RULE = "rule"
    """Judged otherwise by the contract in force then: quarantined then, valid now, or the reverse."""
    DUPLICATE = "duplicate"
    """Another arrival of the same event was kept."""
    CONFLICT = "conflict"
    """An event_id that came back with other content, farther back than the stream looks."""
    PENDING = "pending"
    """The watermark has not passed the row's closing time: the stream has not said its last word."""
    UNEXPLAINED = "unexplained"
    """A fault of the machine; it fails the run."""


STEPS = (Cause.LATE, Cause.NOT_READ, Cause.RULE, Cause.DUPLICATE, Cause.CONFLICT)
"""The causes that events carry, in the order in which reconciliation adds them to what the stream counted."""

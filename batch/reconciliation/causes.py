"""Why the two layers differ: a closed list.

Data flow: reconcile -> Cause on every differing row; correct -> Cause on every correction
Run: daybreak query "SELECT day, view, explode(causes) AS cause, count(*) FROM reconciliation.differences GROUP BY ALL"
"""

from enum import StrEnum


class Cause(StrEnum):
    """A cause of a difference between the stream's answer and the truth (DESIGN rules 6 and 7)."""

    LATE = "late"
    """Events of the view's driving input behind the watermark: in silver, left out of the views."""
    PARTNER_LATE = "partner_late"
    """The same of another input: the row's own event was on time, its join partner was not."""
    NOT_READ = "not_read"
    """Events that one layer had not come to when the night looked: the stream or this view's query, or the archive."""
    GAP = "gap"
    """Events that a layer's own progress skipped: in a hole between what it read, or before its first offset."""
    RULE = "rule"
    """Validated by another contract: quarantined by the stream and valid now (`add`), or the reverse (`take`)."""
    DUPLICATE = "duplicate"
    """Another arrival of the same event was kept."""
    CONFLICT = "conflict"
    """An event_id that came back with other content, farther back than the stream looks."""
    DEFINITION = "definition"
    """Of a correction: the last answer was that of another version of the view or of its contracts."""
    REVISION = "revision"
    """Of a correction: the row was settled before all of its events were in the archive, and the stream has counted
    the rest since, so that the two layers agree again."""
    UNEXPLAINED = "unexplained"
    """A fault of the machine; it fails the run."""


LATENESS = (Cause.LATE, Cause.PARTNER_LATE)
"""The causes of events that both layers have."""

STEPS = (*LATENESS, Cause.NOT_READ, Cause.GAP, Cause.RULE, Cause.DUPLICATE, Cause.CONFLICT)
"""The causes that events carry, in the order in which reconciliation adds them to what the stream counted."""

MEANINGS = {
    Cause.LATE: "events that came behind the watermark",
    Cause.PARTNER_LATE: "events whose join partner came behind the watermark",
    Cause.NOT_READ: "events that one layer had not read when the night compared",
    Cause.GAP: "events that a layer's own progress skipped",
    Cause.RULE: "events that another version of the contract validated when they came",
    Cause.DUPLICATE: "events of which another arrival was kept",
    Cause.CONFLICT: "event ids that came back with other content",
}
"""What each of STEPS means, for the columns of the summary."""

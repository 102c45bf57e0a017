"""The causes for which the two layers can differ: a closed list.

Data flow: reconcile -> Cause on every differing row; correct -> Cause on every correction
Run: daybreak query "SELECT day, view, explode(causes) AS cause, count(*) FROM reconciliation.differences GROUP BY ALL"
"""

from enum import StrEnum


class Cause(StrEnum):
    """A cause of a difference between the stream's answer and the truth; batch/README.md lists them for users."""

    LATE = "late"
    """Events of the view's first (driving) input that came behind the watermark: silver has them, the views do not."""
    PARTNER_LATE = "partner_late"
    """Events of another input that came behind the watermark: the row's own event was on time, its join partner was not."""
    NOT_READ = "not_read"
    """Events that one layer, the stream or the archive, had not read yet when the night compared."""
    GAP = "gap"
    """Events at offsets that a layer skipped: between two ranges that it read, or before its first offset."""
    RULE = "rule"
    """Events validated by another version of the contract: rejected then and valid now (`add`), or the reverse (`take`)."""
    DUPLICATE = "duplicate"
    """Events of which the two layers kept different arrivals."""
    CONFLICT = "conflict"
    """An event_id that came back with other content, longer after its first arrival than the stream deduplicates."""
    DEFINITION = "definition"
    """Of corrections only: another version of the view or of its contracts gave the last answer."""
    REVISION = "revision"
    """Of corrections only: the row was settled before all of its events were in the archive. The stream has counted the
    missing events since, so the two layers agree again."""
    OPEN = "open"
    """Of corrections only: the row was open when its day was settled, and has changed since, as of an order that was paid a day
    later."""
    UNEXPLAINED = "unexplained"
    """No cause was found: a fault of the platform. It fails the run."""


LATENESS = (Cause.LATE, Cause.PARTNER_LATE)
"""The causes of events that both layers have read."""

STEPS = (*LATENESS, Cause.NOT_READ, Cause.GAP, Cause.RULE, Cause.DUPLICATE, Cause.CONFLICT)
"""The causes that an event can have, in the order in which reconciliation adds them to what the stream counted."""

MEANINGS = {
    Cause.LATE: "events that came behind the watermark",
    Cause.PARTNER_LATE: "join partners that came behind the watermark",
    Cause.NOT_READ: "events that one layer had not read when the night compared",
    Cause.GAP: "events at offsets that one layer skipped",
    Cause.RULE: "events that another version of the contract validated when they came",
    Cause.DUPLICATE: "events of which the layers kept different arrivals",
    Cause.CONFLICT: "event ids that came back with other content",
}
"""What each of STEPS means, for the columns of the summary."""

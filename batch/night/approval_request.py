"""The text of an approval request: for Airflow's form, for a log, for a terminal.

Data flow: ApprovalRequest -> JSON with Markdown; a log line; the message of the failure that ends the night
Run: pytest tests/batch/test_threshold.py
"""

import json
from collections.abc import Sequence

from batch.night.settle import ApprovalRequest
from infra.failures import PermanentFailure


def as_json(requests: Sequence[ApprovalRequest]) -> str:
    """The open requests as JSON for Airflow's form, each with the figures that a person needs to decide."""
    return json.dumps(
        [
            {
                "day": str(one.day),
                "run": one.run,
                "figures": one.figures,
                "subject": f"Settle {one.day}? Its correction is over its approval threshold",
                "body": _body(one),
            }
            for one in requests
            if one.is_open
        ]
    )


def in_words(request: ApprovalRequest) -> str:
    """A line for the log."""
    if request.is_open:
        return f"approval requested: {request}"
    by = request.last.decided_by if request.last else None
    return f"not settled: {request.day} was rejected by {by}, and its figures are still the same"


def refuse(requests: Sequence[ApprovalRequest]) -> None:
    """Raise PermanentFailure if a request is open."""
    waiting = [one for one in requests if one.is_open]
    if waiting:
        first = waiting[0]
        others = f" Other days that wait: {', '.join(str(one.day) for one in waiting[1:])}." if waiting[1:] else ""
        raise PermanentFailure(
            f"{first}. The day stays provisional until a person decides. See its differences with daybreak reconciliation "
            f"--from {first.day} --to {first.day}; then run daybreak decide --date {first.day} --approve --note "
            f'"why", or --reject.{others}'
        )


def _body(request: ApprovalRequest) -> str:
    lines = [
        f"{request}.",
        "Until you answer, and if you reject, the day stays provisional: gold serves the stream's answer. An approval is "
        "for these figures only; if new arrivals change them, a new approval is requested.",
        request.body,
        f"Rows: `SELECT * FROM reconciliation.differences WHERE day = DATE'{request.day}'`; events: "
        f"`... FROM reconciliation.evidence ...`; run `{request.run}`.",
    ]
    return "\n\n".join(lines)

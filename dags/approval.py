"""Approval in Airflow: a person decides about a day whose correction is over its threshold, and the decision is applied.

Data flow: settle's requests -> Airflow's form with the waterfall -> `batch decide` -> settled, or provisional
Run: daybreak decide --date 2026-01-31 --approve --note "why"
"""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from airflow.providers.standard.operators.hitl import HITLOperator
from airflow.sdk import Context, Param
from airflow.sdk.exceptions import AirflowSkipException

from dags.night_step import NightStep

APPROVE, REJECT = "Approve", "Reject"

ANSWER_WITHIN = timedelta(hours=12)
"""The task fails if there is no answer for so long, so that the run ends before the next night. The day keeps waiting, and
the next night requests its approval again."""


class Approval(HITLOperator):
    """Shows the first of `requests` to a person; skipped if there is none. The task's result is the answer, for `Decide`.

    It is not an ApprovalOperator: that one skips the tasks after a rejection, but here `Decide` must store the rejection.
    """

    template_fields: Sequence[str] = (*HITLOperator.template_fields, "requests", "day")

    def __init__(self, *, requests: Any, day: Any, **task: Any) -> None:
        # These override the DAG's default_args.
        own: dict[str, Any] = {
            "params": {"note": Param("", type="string", title="Reason (stored with the decision)", source="task")},
            # The task is deferred while it waits: it occupies no worker, and a step's time limit is not for it.
            "execution_timeout": None,
            # A retry would not make anyone answer.
            "retries": 0,
        }
        super().__init__(
            subject="Settle the day?",
            options=[APPROVE, REJECT],
            response_timeout=ANSWER_WITHIN,
            **task | own,
        )
        self.requests = requests
        self.day = day

    def execute(self, context: Context) -> None:
        """Show the request, then defer; Airflow calls `execute_complete` with the answer."""
        if not self.requests:
            raise AirflowSkipException("the correction is within its approval threshold: no approval is needed")
        self.subject, self.body = self.requests[0]["subject"], self.requests[0]["body"]
        super().execute(context)

    def execute_complete(self, context: Context, event: dict[str, Any]) -> dict[str, str]:
        """The answer as a dict: day, figures, answer (approve or reject), by, note."""
        given = super().execute_complete(context, event)
        return {
            "day": self.requests[0]["day"],
            "figures": self.requests[0]["figures"],
            "answer": given["chosen_options"][0].lower(),
            "by": (given["responded_by_user"] or {}).get("name", "unknown"),
            "note": str(given["params_input"].get("note", "")),
        }


class Decide(NightStep):
    """`batch decide` with the answer of `Approval`."""

    template_fields: Sequence[str] = (*NightStep.template_fields, "answer")

    def __init__(self, *, answer: Any, **task: Any) -> None:
        super().__init__(step="decide", **task)
        self.answer = answer

    def execute(self, context: Context) -> None:
        """Apply the answer. Raises AirflowException with the driver's exit code if that fails."""
        self.application_args = [self.step, "--date", self.answer["day"]]
        self.submit(context)

    def more(self, context: Context) -> list[str]:
        """The answer as options. Each is one argument (--note=...), so a note that begins with a dash is not an option."""
        values = [f"--{name}={self.answer[name]}" for name in ("by", "note", "figures")]
        return [f"--{self.answer['answer']}", *values]

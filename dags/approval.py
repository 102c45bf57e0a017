"""A day whose correction is over its approval threshold: a person is asked in Airflow, and what they say is done.

Data flow: settle's questions -> Airflow's form with the waterfall -> `batch decide` -> settled, or provisional
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
"""Unanswered for so long the task fails: the run must end before the next night. The day waits on, and is asked again."""


class Approval(HITLOperator):
    """Asks the first of `questions`; is skipped where there is none. Its result is the answer, for `Decide`.

    It is no ApprovalOperator: that one skips what follows a rejection, and here a rejection is written down.
    """

    template_fields: Sequence[str] = (*HITLOperator.template_fields, "questions", "day")

    def __init__(self, *, questions: Any, day: Any, **task: Any) -> None:
        # Over what the DAG gives to each of its tasks.
        own: dict[str, Any] = {
            "params": {"note": Param("", type="string", title="Why, for whoever reads it later", source="task")},
            # It waits without a worker, and not for as long as a step may run.
            "execution_timeout": None,
            # Asking again does not make anyone answer.
            "retries": 0,
        }
        super().__init__(
            subject="Settle the day?",
            options=[APPROVE, REJECT],
            response_timeout=ANSWER_WITHIN,
            **task | own,
        )
        self.questions = questions
        self.day = day

    def execute(self, context: Context) -> None:
        """Put the question, and wait for the answer in `execute_complete`."""
        if not self.questions:
            raise AirflowSkipException("the correction is within its approval threshold: no approval is needed")
        self.subject, self.body = self.questions[0]["subject"], self.questions[0]["body"]
        super().execute(context)

    def execute_complete(self, context: Context, event: dict[str, Any]) -> dict[str, str]:
        """The answer: day, figures, approve or reject, by whom, and why."""
        given = super().execute_complete(context, event)
        return {
            "day": self.questions[0]["day"],
            "figures": self.questions[0]["figures"],
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
        """Do what was answered. Raises AirflowException with the driver's exit code."""
        self.application_args = [self.step, "--date", self.answer["day"]]
        self.submit(context)

    def more(self, context: Context) -> list[str]:
        """The answer as options; each is one argument, so that no note is taken for an option."""
        values = [f"--{name}={self.answer[name]}" for name in ("by", "note", "figures")]
        return [f"--{self.answer['answer']}", *values]

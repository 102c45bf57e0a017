"""Whether a failed step is tried again: its exit code decides.

Data flow: exception of a SparkSubmitOperator or BashOperator -> exit code -> retry, or fail at once
Run: pytest tests/dags/test_retries.py
"""

import re

from airflow.sdk import RetryDecision, RetryPolicy
from airflow.sdk.definitions.context import Context

PERMANENT_EXIT = 65
"""A step that ends so would end so again (sysexits.h EX_DATAERR): wrong data or settings, no service that is down."""

_EXIT_CODE = re.compile(r"(?:Error code is: |exit code )(\d+)")
"""How the hook of spark-submit and the one of bash put it into their exceptions."""


class ByExitCode(RetryPolicy):
    """Fail at once on a permanent exit code; leave everything else to the task's own retries and delays."""

    def evaluate(
        self, exception: BaseException, try_number: int, max_tries: int, context: Context | None = None
    ) -> RetryDecision:
        """Runs in the worker, after the step has failed."""
        found = _EXIT_CODE.search(str(exception))
        if found and int(found[1]) == PERMANENT_EXIT:
            return RetryDecision.fail(f"exit code {PERMANENT_EXIT}: another try would end so too; see the last line")
        return RetryDecision.default()

"""Decide by the exit code whether a failed step is retried.

Data flow: exception of a SparkSubmitOperator or BashOperator -> exit code -> retry, or fail at once
Run: pytest tests/dags/test_retries.py
"""

import re

from airflow.sdk import RetryDecision, RetryPolicy
from airflow.sdk.definitions.context import Context

PERMANENT_EXIT = 65
"""The exit code of failures that a retry cannot help (sysexits.h EX_DATAERR): wrong data or settings, not a service down."""

_EXIT_CODE = re.compile(r"(?:Error code is: |exit code )(\d+)")
"""How the exceptions of the spark-submit hook and of the bash hook give the exit code."""


class ByExitCode(RetryPolicy):
    """Fail at once on a permanent exit code; leave everything else to the task's own retries and delays."""

    def evaluate(
        self, exception: BaseException, try_number: int, max_tries: int, context: Context | None = None
    ) -> RetryDecision:
        """Called by Airflow in the worker, after the step has failed."""
        found = _EXIT_CODE.search(str(exception))
        if found and int(found[1]) == PERMANENT_EXIT:
            return RetryDecision.fail(
                f"exit code {PERMANENT_EXIT}: a retry would fail too; the last line above says why"
            )
        return RetryDecision.default()

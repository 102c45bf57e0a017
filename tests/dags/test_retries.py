"""Whether a failed step is tried again.

Data flow: exceptions as the two hooks raise them -> decision
Run: pytest tests/dags/test_retries.py
"""

import pytest
from airflow.sdk import RetryAction

from dags.retries import PERMANENT_EXIT, ByExitCode
from infra import failures


@pytest.mark.parametrize(
    ("message", "action"),
    [
        (
            "Cannot execute: spark-submit --master local[2] batch/__main__.py truth. Error code is: 65.",
            RetryAction.FAIL,
        ),
        (
            "Cannot execute: spark-submit --master local[2] batch/__main__.py truth. Error code is: 1.",
            RetryAction.DEFAULT,
        ),
        ("Cannot execute: spark-submit truth. Error code is: -9.", RetryAction.DEFAULT),
        ("Bash command failed. The command returned a non-zero exit code 65.", RetryAction.FAIL),
        ("Bash command failed. The command returned a non-zero exit code 1.", RetryAction.DEFAULT),
        ("Error code is: 650.", RetryAction.DEFAULT),
        ("the worker was lost on host 65", RetryAction.DEFAULT),
    ],
)
def test_the_exit_code_decides(message: str, action: RetryAction) -> None:
    assert ByExitCode().evaluate(RuntimeError(message), 1, 2).action is action


def test_it_is_the_code_that_our_commands_end_with() -> None:
    assert PERMANENT_EXIT == failures.PERMANENT_EXIT

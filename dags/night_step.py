"""One nightly step: a command of ours, run by spark-submit or by the shell.

Data flow: step name and day -> `batch` in a Spark driver -> exit code
Run: daybreak backfill --from 2026-01-01 --to 2026-01-01
"""

import os
import sys
from typing import Any

from airflow.providers.apache.spark.operators.spark_submit import SparkSubmitOperator
from airflow.providers.standard.operators.bash import BashOperator
from airflow.sdk import Context

from dags.lake import ROOT

DAY = "{{ data_interval_start | ds }}"
"""The day a run is about; the run itself starts when that day, and two hours more, are over."""


class NightStep(SparkSubmitOperator):
    """`batch <task_id> --date <day>` in a Spark driver of its own, with `--full` if the run asks for it."""

    def __init__(self, **task: Any) -> None:
        super().__init__(
            application=str(ROOT / "batch" / "__main__.py"),
            application_args=[task["task_id"], "--date", DAY],
            name=f"night {task['task_id']} {DAY}",
            driver_memory=os.environ.get("DAYBREAK_NIGHT_MEMORY", "1536m"),
            pool="night",
            **task,
        )

    def execute(self, context: Context) -> None:
        """Run the step to its end. Raises AirflowException with the driver's exit code."""
        if context["params"]["full"]:
            self.application_args = [*(self.application_args or []), "--full"]
        super().execute(context)


class GoldStep(BashOperator):
    """`infra.gold <verb>`: dbt through the SQL gateway, which is gold's only writer."""

    def __init__(self, *, verb: str, **task: Any) -> None:
        super().__init__(
            bash_command=f"exec {sys.executable} -m infra.gold {verb}",
            cwd=str(ROOT),
            pool="gateway",
            append_env=True,
            **task,
        )

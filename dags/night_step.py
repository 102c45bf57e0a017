"""One nightly step: a command of ours, run by spark-submit or by the shell.

Data flow: step name and day -> `batch` in a Spark driver -> exit code, and what the step reports
Run: daybreak backfill --from 2026-01-01 --to 2026-01-01
"""

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from airflow.providers.apache.spark.operators.spark_submit import SparkSubmitOperator
from airflow.providers.standard.operators.bash import BashOperator
from airflow.sdk import Context

from dags.lake import ROOT

DAY = "{{ data_interval_start | ds }}"
"""The day a run is about; the run itself starts when that day, and two hours more, are over."""


class NightStep(SparkSubmitOperator):
    """`batch <step> --date <day>` in a Spark driver of its own, with `--full` if the run asks for it.

    `day`: of the night's days, this one only. `reports`: the step writes JSON to a file that it is given, and the task's
    result is what it wrote. The driver runs beside the task (spark-submit's client mode), so both see the file.
    """

    template_fields: Sequence[str] = (*SparkSubmitOperator.template_fields, "day")

    def __init__(self, *, step: str, day: Any = None, reports: bool = False, **task: Any) -> None:
        java = os.environ.get("DAYBREAK_NIGHT_JAVA")
        super().__init__(
            application=str(ROOT / "batch" / "__main__.py"),
            application_args=[step, "--date", DAY],
            name=f"night {step} {DAY}",
            driver_memory=os.environ.get("DAYBREAK_NIGHT_MEMORY", "1536m"),
            conf={"spark.driver.extraJavaOptions": java} if java else None,
            pool="night",
            **task,
        )
        self.step = step
        self.day = day
        self.reports = reports

    def execute(self, context: Context) -> Any:
        """Run the step to its end; gives its report. Raises AirflowException with the driver's exit code."""
        with TemporaryDirectory() as folder:
            report = Path(folder) / "report.json"
            more = self.more(context)
            more += ["--report", str(report)] if self.reports else []
            self.application_args = [*(self.application_args or []), *more]
            super().execute(context)
            return json.loads(report.read_text()) if self.reports else None

    def more(self, context: Context) -> list[str]:
        """Arguments that are known when the task runs."""
        return [*(["--full"] if context["params"]["full"] else []), *(["--day", str(self.day)] if self.day else [])]


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


class ReportStep(BashOperator):
    """`infra.report --date <day>`: the night's page, into the bucket and under Airflow's menu; without Spark."""

    def __init__(self, **task: Any) -> None:
        super().__init__(
            bash_command=f"exec {sys.executable} -m infra.report --date {DAY}",
            cwd=str(ROOT),
            pool="night",
            append_env=True,
            **task,
        )

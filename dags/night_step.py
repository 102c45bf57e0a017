"""One nightly step: a command of ours, run by spark-submit or by the shell, unless the night's first driver has done it.

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


AHEAD = "ahead"
"""Under this name the archive's task tells the others what its driver has done of their work already."""


class NightStep(SparkSubmitOperator):
    """`batch <step> --date <day>` in a Spark driver of its own, with `--full` if the run asks for it.

    `day`: of the night's days, this one only. `reports`: the step writes JSON to a file that it is given, and the task's
    result is what it wrote. The driver runs beside the task (spark-submit's client mode), so both see the file.
    What `ArchiveStep` has done ahead is not done again, and starts no driver.
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
        is_done, report = self.done_ahead(context)
        if is_done:
            self.log.info("done already, by the driver of this run's archive")
            return report
        return self.submit(context)

    def submit(self, context: Context) -> Any:
        """Run the step in a driver of its own."""
        with TemporaryDirectory() as folder:
            report = Path(folder) / "report.json"
            more = self.more(context)
            more += ["--report", str(report)] if self.reports else []
            self.application_args = [*(self.application_args or []), *more]
            super().execute(context)
            return json.loads(report.read_text()) if self.reports else None

    def done_ahead(self, context: Context) -> tuple[bool, Any]:
        """Has the archive's driver done this step, and with which report?

        A task that is tried more often than the archive was, because it failed or was cleared alone, does its work itself.
        """
        own = context["ti"]
        ahead = own.xcom_pull(task_ids="archive", key=AHEAD, map_indexes=None) or {}
        if own.try_number > ahead.get("tries", 0):
            return False, None
        if self.step == "curve":
            return bool(ahead["drawn"]), None
        return str(self.day) in ahead["done"], ahead["done"].get(str(self.day))

    def more(self, context: Context) -> list[str]:
        """Arguments that are known when the task runs."""
        return [*(["--full"] if context["params"]["full"] else []), *(["--day", str(self.day)] if self.day else [])]


class ArchiveStep(NightStep):
    """`batch archive`, whose driver goes on with the night's days and the curve. Its result is the list of the days.

    The first try does: where a driver died, the next one only fills the archive, and every day has a driver of its own.
    """

    def __init__(self, **task: Any) -> None:
        super().__init__(step="archive", reports=True, **task)

    def execute(self, context: Context) -> list[str]:
        """Run it to its end; gives the days."""
        report = self.submit(context)
        done, drawn = report.get("done", {}), report.get("drawn", False)
        context["ti"].xcom_push(key=AHEAD, value={"tries": context["ti"].try_number, "done": done, "drawn": drawn})
        return list(report["days"])

    def more(self, context: Context) -> list[str]:
        """With `--ahead` on the first try, also on the first after the run was cleared."""
        own = context["ti"]
        is_first = own.try_number <= own.max_tries - (self.retries or 0) + 1
        return [*super().more(context), *(["--ahead"] if is_first else [])]


class GoldStep(BashOperator):
    """`batch.gold <verb>`: dbt through the SQL gateway, which is gold's only writer."""

    def __init__(self, *, verb: str, **task: Any) -> None:
        super().__init__(
            bash_command=f"exec {sys.executable} -m batch.gold {verb}",
            cwd=str(ROOT),
            pool="gateway",
            append_env=True,
            **task,
        )


class ReportStep(BashOperator):
    """`batch.report --date <day>`: the night's page, into the bucket and under Airflow's menu; without Spark."""

    def __init__(self, **task: Any) -> None:
        super().__init__(
            bash_command=f"exec {sys.executable} -m batch.report --date {DAY}",
            cwd=str(ROOT),
            pool="night",
            append_env=True,
            **task,
        )

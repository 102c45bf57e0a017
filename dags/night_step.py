"""One nightly step: a `batch` command, run by spark-submit or the shell, unless the archive's driver has done it already.

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

from dags.day_of_run import day_of
from dags.handed_over import hand_over, last_ahead, take
from dags.lake import ROOT

DAY = "{{ day_of(dag_run) }}"
"""The day that a run settles."""


AHEAD = "ahead"
"""Key of the XCom in which the archive's task tells the others which of their work its driver has done already."""


class NightStep(SparkSubmitOperator):
    """`batch <step> --date <day>` in a Spark driver of its own, with `--full` if the run asks for it.

    `day`: do only this day of the night's plan. `reports`: the step writes JSON to a temporary file, which becomes the task's
    result; driver and task see the same file, because spark-submit runs in client mode. Work that `ArchiveStep` has done
    ahead is not repeated, and starts no driver.
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
        """Run the step and return its report. Raises AirflowException with the driver's exit code."""
        is_done, report = self.done_ahead(context)
        if is_done:
            self.log.info("nothing to do: the driver of this run's task archive has done this step already")
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

        A task with more tries than the archive had, because it failed or was cleared alone, does its work itself.
        """
        own = context["ti"]
        ahead = own.xcom_pull(task_ids="archive", key=AHEAD, map_indexes=None) or {}
        if own.try_number > ahead.get("tries", 0):
            return False, None
        if self.step == "curve":
            return bool(ahead["drawn"]), None
        return str(self.day) in ahead["done"], ahead["done"].get(str(self.day))

    def more(self, context: Context) -> list[str]:
        """Arguments that are known only when the task runs."""
        return [*(["--full"] if context["params"]["full"] else []), *(["--day", str(self.day)] if self.day else [])]


class ArchiveStep(NightStep):
    """`batch archive`; its driver then also does the night's days and the curve. The task's result is the list of days.

    In a backfill (the run's parameter of that name) it also does the next nights' days, whose tasks then start no driver: see
    `handed_over`. Only the first try does the extra work. If that driver dies, a retry only fills the archive, and every day
    runs in a driver of its own.
    """

    def __init__(self, **task: Any) -> None:
        super().__init__(step="archive", reports=True, **task)

    def execute(self, context: Context) -> list[str]:
        """Run the archive, publish what was done ahead, and return the days of the night's plan."""
        backfill = context["params"]["backfill"]
        if not backfill:
            return self.publish(context, self.submit(context))
        own = _day_of(context)
        if taken := take(backfill, own) if self.is_first(context) else None:
            self.log.info("nothing to do: the driver of an earlier night of this backfill has done %s already", own)
            return self.publish(context, {"days": [own], **taken})
        report = self.submit(context)
        done = report.get("done", {})
        later = {day for day in {*done, *report["days"]} if own < day <= backfill["last"]}
        hand_over(backfill, {day: done[day] for day in later & done.keys()}, report.get("drawn", False))
        # Such a day has its own night in the backfill, which asks for its approval, also where this night would plan it.
        return self.publish(context, report | {"days": [day for day in report["days"] if day not in later]})

    def publish(self, context: Context, report: dict[str, Any]) -> list[str]:
        """Tell the tasks of this run what is done already."""
        done = {day: requests for day, requests in report.get("done", {}).items() if day in report["days"]}
        said = {"tries": context["ti"].try_number, "done": done, "drawn": report.get("drawn", False)}
        context["ti"].xcom_push(key=AHEAD, value=said)
        return list(report["days"])

    def more(self, context: Context) -> list[str]:
        """Adds `--ahead` on the first try, and in a backfill up to which day's night."""
        if not self.is_first(context):
            return super().more(context)
        backfill = context["params"]["backfill"]
        until = ["--until", last_ahead(backfill, _day_of(context))] if backfill else []
        return [*super().more(context), "--ahead", *until]

    def is_first(self, context: Context) -> bool:
        """Is it the first try, or the first after the task was cleared?"""
        own = context["ti"]
        return bool(own.try_number <= own.max_tries - (self.retries or 0) + 1)


class GoldStep(BashOperator):
    """`batch.gold <verb>`: run dbt through the SQL gateway, the only writer of gold.

    A build makes all days that have changed, so a backfill needs one, in its last night: the run's parameter `gold_on` names
    that night's day. A task that is tried or cleared again builds all the same. `always`: not left to a later night.
    """

    def __init__(self, *, verb: str, always: bool = False, **task: Any) -> None:
        super().__init__(
            bash_command=f"exec {sys.executable} -m batch.gold {verb}",
            cwd=str(ROOT),
            pool="gateway",
            append_env=True,
            **task,
        )
        self.always = always

    def execute(self, context: Context) -> Any:
        """Run dbt, unless a later night of the same backfill will."""
        gold_on = context["params"]["gold_on"]
        if gold_on and _day_of(context) < gold_on and context["ti"].try_number == 1 and not self.always:
            self.log.info("nothing to do: the night of %s builds gold for all days of this backfill", gold_on)
            return None
        return super().execute(context)


class ReportStep(BashOperator):
    """`batch.report --date <day>`: write the night's report to the bucket and for Airflow's menu; needs no Spark."""

    def __init__(self, **task: Any) -> None:
        super().__init__(
            bash_command=f"exec {sys.executable} -m batch.report --date {DAY}",
            cwd=str(ROOT),
            pool="night",
            append_env=True,
            **task,
        )


def _day_of(context: Context) -> str:
    return day_of(context["dag_run"])

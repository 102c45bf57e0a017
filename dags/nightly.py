"""The night: recompute yesterday from the whole log, compare, explain, correct, and rebuild gold.

Data flow: Kafka -> archive -> per day: truth, reconciliation, corrections, settlements -> curve -> gold -> docs
Run: daybreak backfill --from 2026-01-01 --to 2026-01-03
"""

from datetime import UTC, datetime, timedelta

from airflow.sdk import DAG, CronDataIntervalTimetable, Param, task_group
from airflow.sdk.bases.operator import chain

from dags.approval import Approval, Decide
from dags.day_of_run import day_of
from dags.lake import gold, layer, table
from dags.night_step import ArchiveStep, GoldStep, NightStep, ReportStep
from dags.retries import ByExitCode

TRIAGE = """
### What it does
At 02:00 UTC this DAG settles the day before. Nights that did not come (the machine was off, the DAG was paused) are made up
for: the next one also settles the days with events that they have left, the oldest first.

- **archive** copies the new records from Kafka and plans the night: the new day, and every settled day that late arrivals
  or a changed definition touched. To start a driver takes longer than to recompute a small day, so the archive's driver
  also does the work of **settle** and **curve**. These tasks then find their work done. If it failed or was not begun, or
  if you clear one of these tasks alone, it does its work in a driver of its own. In a `daybreak backfill` the driver goes
  on with up to seven nights: the tasks of the later ones find it in the variable `nightly_done_ahead`.
- **settle** runs once per planned day. It recomputes the day's truth, explains every difference from the stream's answer,
  writes the corrections, settles the day and sends the corrections to Kafka.
- **curve** measures how complete the stream would have been with other delays (allowed lateness).
- **dbt_build** rebuilds and tests gold. **dbt_docs** writes the pages under *dbt docs* in the menu. **report** writes the
  page under *Nights*, which is also the tab *Reconciliation* of this run.

**Which day?** A scheduled run and a backfill settle the day on which their data interval starts. A run by hand (*Trigger*)
settles yesterday (UTC), or the day of the logical date that you enter. A day that is not over yet is refused.

You may run every step again at any time; a second run changes nothing. To redo days, start a backfill (here: *Trigger,
Backfill*, *all runs*; or `daybreak backfill --from D --to D`). A settled day in which nothing has changed is left alone;
`full` redoes all settled days, with the same result. `daybreak backfill` builds gold once, in its last night (`gold_on`); if
that night fails, clear it, or run `python -m batch.gold build`.

### When it needs an approval
**approve** waits for you if a day's correction is over its approval threshold (`DAYBREAK_APPROVAL_THRESHOLD`): answer under
*Required Actions*, or with `daybreak decide`. The form shows the day's waterfall from the stream's answer to the truth. If
you approve, **decide** settles the day and **dbt_build_decided** rebuilds gold with it. If you reject, or do not answer
within 12 hours, the day stays provisional (`reconciliation.decisions`). The other days of the night do not wait.

### When it fails
A step that exits with 65 is not retried: find the cause before you clear it. The last line of its log is the reason.

- **unexplained difference**: the stream's rows do not follow from its own events, a fault of the platform. The day stays
  unsettled. Read `reconciliation.differences` where `unexplained`, then the stream's log of that time.
- **do not add up**: offsets are missing, doubled or unaccounted, and stay in the range that every later night checks until
  they are right. `daybreak conservation` lists them. If they are lost for good, `daybreak conservation --accept --note "why"`
  puts who, what and why on record (`reconciliation.losses`); then clear the task.
- **log truncated**: Kafka deleted records before the archive had read them, and they are lost. The day
  stays unsettled, and gold keeps serving the stream's answer. Raise `DAYBREAK_TOPIC_RETENTION_HOURS`; accept the gap with
  `daybreak gaps --accept --note "why"`, then clear the task.
- **deleted and made again**: a topic is another log than the one that was read, and nothing of it is read. See "Another log" in
  `infra/README.md`.
- **read twice**: an older version read a topic again from its beginning. `daybreak redefine --no-airflow` removes the
  second copies.
- **answer timed out** (`approve`): no one answered. The day stays provisional. The next night requests the approval again;
  `daybreak decide --date D --approve --note "why"` (or `--reject`) answers at any time.
- **other figures** (`decide`): new events arrived after the request, so the answer is void. Answer the new request.
- **lease held**: another night, or a `daybreak night` started by hand, is writing. The task retries by itself;
  `SELECT * FROM pg_locks WHERE locktype = 'advisory'` in Postgres names the holder.
- **definition mismatch**: the stream runs an older version of a view or contract than the night. Restart the stream
  (`daybreak restart stream`), rebuild the view if the stream's log says so, then clear the task.
- **dbt test failed**: gold would be wrong (a key, a relation, "a settled day equals truth", "no day is counted twice").
  The log names the test; its SQL is in the dbt docs. Clear **dbt_build** when the cause is gone.
- **does not answer**: Kafka, the object store, Postgres or the gateway is down. The task retries by itself; see
  `daybreak status` and `daybreak logs NAME`.
"""

with DAG(
    dag_id="nightly",
    description="Settles a day: truth from the whole log, differences explained, corrections, gold",
    doc_md=TRIAGE,
    schedule=CronDataIntervalTimetable("0 2 * * *", timezone="UTC"),
    start_date=datetime(2020, 1, 1, tzinfo=UTC),
    catchup=False,
    max_active_runs=1,
    user_defined_macros={"day_of": day_of},
    is_paused_upon_creation=True,
    # Longer than the time a person has to answer, and shorter than the time until the next night.
    dagrun_timeout=timedelta(hours=20),
    tags=["night", "lake"],
    params={
        "full": Param(False, type="boolean", description="Redo all settled days even if nothing has changed"),
        "gold_on": Param(
            None,
            type=["null", "string"],
            format="date",
            description="Build gold only in the night of this day; `daybreak backfill` names its last day",
        ),
        "backfill": Param(
            None,
            type=["null", "object"],
            description="Set by `daybreak backfill`: its `last` day, and when it was `asked` for",
        ),
    },
    default_args={
        "owner": "daybreak",
        "retries": 2,
        "retry_delay": timedelta(seconds=30),
        "retry_exponential_backoff": True,
        "max_retry_delay": timedelta(minutes=10),
        "retry_policy": ByExitCode(),
        "execution_timeout": timedelta(hours=2),
    },
):
    archive = ArchiveStep(task_id="archive", outlets=layer("archive"))
    found = [table("reconciliation", name) for name in ("differences", "summary")]
    settled = [table("reconciliation", name) for name in ("corrections", "settlements", "decisions")]
    written = [*layer("truth"), *found, *settled]
    by_day = {"map_index_template": "{{ task.day }}"}

    @task_group(prefix_group_id=False)
    def each_day(day: str) -> None:
        """One day: settle it, or request an approval and apply the decision."""
        read = [*layer("archive"), *layer("speed"), *layer("silver")]
        settle = NightStep(
            step="correct", task_id="settle", day=day, reports=True, inlets=read, outlets=written, **by_day
        )
        approve = Approval(task_id="approve", requests=settle.output, day=day, inlets=found, **by_day)
        Decide(task_id="decide", answer=approve.output, day=day, inlets=found, outlets=settled, **by_day)

    days = each_day.expand(day=archive.output)
    settle, decide = (days.get_child_by_label(name) for name in ("settle", "decide"))
    drawn = [table("reconciliation", "lateness"), table("reconciliation", "curve")]
    served = [*layer("truth"), *layer("speed"), *settled, *drawn]
    # Gold is built even if the night has no day to do, or if a day waits for an approval.
    curve = NightStep(
        step="curve",
        task_id="curve",
        trigger_rule="none_failed",
        inlets=[*layer("truth"), *layer("silver"), *settled],
        outlets=drawn,
    )
    dbt_build = GoldStep(verb="build", task_id="dbt_build", inlets=served, outlets=gold())
    dbt_docs = GoldStep(verb="docs", task_id="dbt_docs", inlets=gold())
    report = ReportStep(task_id="report", inlets=[*found, *settled, *drawn])
    chain(settle, curve, dbt_build, [dbt_docs, report])
    decided = GoldStep(
        verb="build",
        task_id="dbt_build_decided",
        always=True,
        trigger_rule="none_failed_min_one_success",
        inlets=served,
        outlets=gold(),
    )
    decide >> decided

"""The night: recompute yesterday from the whole log, compare, explain, correct, and rebuild gold.

Data flow: Kafka -> archive -> truth -> reconciliation -> corrections, coverage -> curve -> gold -> docs
Run: daybreak backfill --from 2026-01-01 --to 2026-01-03
"""

from datetime import UTC, datetime, timedelta

from airflow.sdk import DAG, CronDataIntervalTimetable, Param
from airflow.sdk.bases.operator import chain

from dags.lake import gold, layer, table
from dags.night_step import GoldStep, NightStep
from dags.retries import ByExitCode

TRIAGE = """
### What it does
At 02:00 UTC it settles the day before: **archive** copies what is new in Kafka, **truth** recomputes the day,
**reconcile** explains every difference between the truth and what the stream said, **correct** writes the corrections,
settles the day and sends the corrections to Kafka, **curve** measures what the stream would have given with another
delay, **dbt_build** rebuilds and tests gold, **dbt_docs** writes the pages under *dbt docs* in the menu.
Every step may be run again at any time and changes nothing the second time. Days are redone by a backfill
(here: *Trigger, Backfill*, *all runs*; or `daybreak backfill --from D --to D`). A settled day in which nothing has
changed is left alone; `full` recomputes it all the same.

### When it fails
A step that exits with 65 is not tried again: look before you clear it. The last line of its log is the reason.

- **unexplained difference**: the stream wrote what its own events do not give, a fault of the machine. The day stays
  unsettled. Read `reconciliation.differences` where `unexplained`, then the stream's log of that time.
- **log truncated, offsets missing**: Kafka deleted records before the archive had read them. The gap is real; the day
  stays unsettled, and gold goes on serving the stream's answer. Raise `DAYBREAK_TOPIC_RETENTION_HOURS`.
- **lease held**: another night, or a hand-started `daybreak night`, is writing. It retries by itself;
  `SELECT * FROM pg_locks WHERE locktype = 'advisory'` in Postgres names the holder.
- **definition mismatch**: the stream runs an older version of a view or contract than the night. Restart the stream
  (`daybreak restart stream`), rebuild the view if it says so, then clear the task.
- **dbt test failed**: gold would be wrong (a key, a relation, "a settled day equals truth", "no day is counted twice").
  The log names the test; its SQL is in the dbt docs. Clear **dbt_build** when the cause is gone.
- **does not answer**: Kafka, the object store, Postgres or the gateway is down. It retries by itself; see
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
    is_paused_upon_creation=True,
    dagrun_timeout=timedelta(hours=6),
    tags=["night", "lake"],
    params={"full": Param(False, type="boolean", description="Redo the day even if nothing has changed")},
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
    archive = NightStep(task_id="archive", outlets=layer("archive"))
    truth = NightStep(task_id="truth", inlets=layer("archive"), outlets=layer("truth"))
    differences = [table("reconciliation", "differences"), table("reconciliation", "summary")]
    reconcile = NightStep(task_id="reconcile", inlets=[*layer("truth"), *layer("speed")], outlets=differences)
    settled = [table("reconciliation", "corrections"), table("reconciliation", "coverage")]
    correct = NightStep(task_id="correct", inlets=differences, outlets=settled)
    drawn = [table("reconciliation", "waits"), table("reconciliation", "curve")]
    curve = NightStep(task_id="curve", inlets=[*layer("truth"), *layer("silver"), *settled], outlets=drawn)
    served = [*layer("truth"), *layer("speed"), *settled, *drawn]
    dbt_build = GoldStep(verb="build", task_id="dbt_build", inlets=served, outlets=gold())
    dbt_docs = GoldStep(verb="docs", task_id="dbt_docs", inlets=gold())
    chain(archive, truth, reconcile, correct, curve, dbt_build, dbt_docs)

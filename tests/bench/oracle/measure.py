"""A night on a filled lake, step by step as `batch.night.steps` takes them, with the CPU of each.

Data flow: log (Parquet) -> archive -> conservation -> truth -> reconcile -> correct -> CPU seconds per step
Run: make bench-night

Of a real night the services are missing: Kafka's network, the object store's, the lease, the publishing of corrections.
"""

from pathlib import Path

from pyspark.sql import SparkSession

from batch.archive.events import ARCHIVE, with_envelope
from batch.archive.tuning import suit_number
from batch.conservation.check import conserve, marks
from batch.days.day import Day
from batch.due.plans import plans
from batch.night.steps import Step, advance
from batch.truth.recompute import Decided
from infra.failures import PermanentFailure
from infra.lake.writes import append_once
from streaming.positions.log import Log
from streaming.versions.definitions import definitions
from tests.bench.oracle.cost import spent
from tests.bench.oracle.day import records


def night(session: SparkSession, day: Day, log: Log, folder: Path) -> dict[Step, float]:
    """Settle the day; CPU seconds of each step.

    Raises PermanentFailure if something is unexplained, unconserved or not threshold: such a day costs something else.
    """
    costs: dict[Step, float] = {}
    with spent(costs, Step.ARCHIVE):
        versions, known = definitions(session), marks(session)
        suit_number(session, sum(log.end.values()))
        append_once(with_envelope(records(session, folder)), ARCHIVE, "archive", sum(log.end.values()))
        conserve(session, day, log, known)
    # As in a night by Airflow, which takes a day's steps in one go.
    validated = Decided(session)
    for step in (Step.TRUTH, Step.RECONCILE, Step.CORRECT):
        with spent(costs, step):
            (plan,) = plans(session, day, versions)
            request, _ = advance(session, plan, step, kept=validated)
        if request:
            raise PermanentFailure(str(request))
    return costs

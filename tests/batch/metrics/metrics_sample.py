"""A platform as its parts would tell it, with a sample of every metric, and how Prometheus reads it.

Data flow: statuses, problems, lag, micro-batches, freshness, settlements -> text -> families
Run: pytest tests/batch/metrics
"""

from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta

from prometheus_client.metrics_core import Metric
from prometheus_client.parser import text_string_to_metric_families

from batch.status.metrics import Part, nights, settled
from infra.airflow.runs import Run
from infra.kafka.partitions import Partition
from infra.metrics.programs import held, problems, programs
from infra.problems import Problem
from infra.services.status import Condition, Status
from streaming.monitor.freshness import Clock, Freshness
from streaming.monitor.lag import lag_of
from streaming.monitor.metrics import freshness, lags, micro_batches
from streaming.tables.progress import no_rows

NOW = datetime(2026, 1, 31, 12, tzinfo=UTC)
STREAM = Status("stream", Condition.WAITING, 7, {}, 512, 640, 90, "its first micro-batch", ("much bad input",))
GAP = Problem("log.gap/orders-0", "8 records are gone", "daybreak gaps", since=NOW)
READ = Partition("orders", 0, 100, 500, 440, NOW - timedelta(hours=48), timedelta(days=7), 500)
MICRO_BATCH = {
    "committed_at": NOW,
    "next_watermark": NOW - timedelta(minutes=10),
    "rows": list((no_rows() | {"accepted": 9, "late": 2, "read": 10, "rejected": 1}).items()),
    "durations": [("total", 900), ("silver", 100)],
}
NIGHT = Run("r", date(2026, 1, 30), "success", (), 512.0)
FRESH = Freshness(None, "silver", 5, 1.0, 2.0, 3.0)

PARTS: Mapping[str, Part] = {
    "programs": lambda _: programs([STREAM]),
    "problems": lambda _: problems([GAP]),
    "held": lambda _: held({"order_totals": (12, 3400)}),
    "lag": lambda _: lags([lag_of(READ, 600, NOW)]),
    "batches": lambda _: micro_batches([MICRO_BATCH]),
    "freshness": lambda _: freshness({clock: [FRESH] for clock in Clock}),
    "settled": lambda _: settled({date(2026, 1, 30): NOW}),
    "nights": lambda _: nights([NIGHT]),
}


def families(text: str) -> list[Metric]:
    """As Prometheus's own parser reads them."""
    return list(text_string_to_metric_families(text))


def values(text: str, name: str) -> dict[tuple[str, ...], float]:
    """The samples of a name: values of their labels, in the order of the labels' names -> the value."""
    every = (sample for family in families(text) for sample in family.samples)
    return {
        tuple(value for _, value in sorted(sample.labels.items())): sample.value
        for sample in every
        if sample.name == name
    }

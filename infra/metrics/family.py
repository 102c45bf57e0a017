"""A family of samples: the name of a metric, what it says and its labels, declared once beside what fills it.

Data flow: values -> Family -> Metric -> Prometheus's text format
Run: daybreak metrics

Names follow Prometheus's conventions: seconds and bytes, `_total` for what only grows. The values of a label are names of
programs, topics, views and kinds, which code and project bound; never a key, a day or a sentence.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.exposition import generate_latest
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

COUNTER = "_total"

Sample = tuple[Sequence[str], float | None]
"""Values of the labels, and the sample's own; None: it is not known, and left out."""


@dataclass(frozen=True)
class Family:
    """`name` as Prometheus sees it; `says` is its HELP line; `labels` their names."""

    name: str
    says: str
    labels: tuple[str, ...] = ()

    def of(self, samples: Iterable[Sample]) -> Metric:
        """The family with its samples."""
        kind = CounterMetricFamily if self.name.endswith(COUNTER) else GaugeMetricFamily
        found = kind(self.name, self.says, labels=self.labels)
        for values, value in samples:
            if value is not None:
                found.add_metric(list(values), value)
        return found

    def one(self, value: float | None) -> Metric:
        """A family without labels, and its one sample."""
        return self.of([((), value)])


class _Given(Collector):
    def __init__(self, families: Iterable[Metric]) -> None:
        self._families = families

    def collect(self) -> Iterable[Metric]:
        return self._families


def text(families: Iterable[Metric]) -> str:
    """The families in Prometheus's text format 0.0.4, which scrapes and node_exporter's textfile collector read."""
    return generate_latest(_Given(families)).decode()

"""Metrics of the whole platform, part by part: a part that cannot be read is told as such, and the others come all the same.

Data flow: what status, lag, freshness, problems and settlements say -> Metric -> text
Run: daybreak metrics

Nothing is calculated a second time: each number is that of the command of the same name.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime

from prometheus_client.metrics_core import Metric

from batch.days.day import Day
from batch.settlement.settlements import SETTLEMENTS
from batch.status.look import DAG, look
from infra import logs
from infra.airflow.runs import Run
from infra.failures import PermanentFailure, TransientFailure
from infra.lake.reader import exists, read
from infra.metrics.family import Family, text
from infra.metrics.programs import held, problems, programs
from infra.problems import problems as kept
from infra.services import health
from infra.services.problems import is_up
from infra.services.status import Status
from infra.settings import Settings
from streaming.monitor.freshness import Clock
from streaming.monitor.freshness import freshness as measured
from streaming.monitor.lag import RATE_OVER, lag
from streaming.monitor.metrics import freshness, lags, micro_batches, recent

Part = Callable[[Settings], Iterable[Metric]]

NIGHTS = 3
"""So many of Airflow's last runs are asked for: one that ended is among them."""

SUCCESS = Family("daybreak_part_success", "1 if this part of the metrics could be read, else 0", ("part",))
TOOK = Family("daybreak_part_read_seconds", "How long it took to read this part", ("part",))
AT = Family("daybreak_metrics_timestamp_seconds", "When these metrics were read")

DAYS = Family("daybreak_settlements", "Days that are settled: gold serves their truth")
LAST_DAY = Family("daybreak_settled_day_end_timestamp_seconds", "The end of the newest settled day")
LAST = Family("daybreak_settlement_timestamp_seconds", "When a day was settled last")
NIGHT_SECONDS = Family("daybreak_night_duration_seconds", "How long the last night took that has ended in Airflow")
NIGHT_SUCCESS = Family("daybreak_night_success", "1 if it succeeded, else 0")


def settled(days: Mapping[date, datetime]) -> Iterator[Metric]:
    """The settled days, and when each was."""
    yield DAYS.one(len(days))
    yield LAST_DAY.one(max((Day(day).end.timestamp() for day in days), default=None))
    yield LAST.one(max((at.timestamp() for at in days.values()), default=None))


def nights(runs: Sequence[Run]) -> Iterator[Metric]:
    """The last night that has ended. `runs`: the newest first."""
    last = next((run for run in runs if run.has_ended), None)
    yield NIGHT_SECONDS.one(last.seconds if last else None)
    yield NIGHT_SUCCESS.one(float(last.state == "success") if last else None)


def _settled(s: Settings) -> Iterator[Metric]:
    rows = read(s, SETTLEMENTS.id, ["day", "settled_at"]).to_pylist() if exists(s, SETTLEMENTS.id) else []
    return settled({row["day"]: row["settled_at"] for row in rows})


def _nights(s: Settings) -> Iterator[Metric]:
    if s.embedded("airflow_url") and health.port("127.0.0.1", s.airflow_port):
        return nights([])
    # Imported here because the import takes a second.
    from infra.airflow.client import Airflow

    return nights(Airflow(s).last_runs(DAG, NIGHTS))


def _freshness(s: Settings) -> Iterator[Metric]:
    now = datetime.now(UTC)
    return freshness({clock: measured(s, now - RATE_OVER, now, clock) for clock in Clock})


def parts(s: Settings, found: Sequence[Status]) -> dict[str, Part]:
    """What can be read now, by name: of a platform that is down, its programs and the problems that were known."""
    own: dict[str, Part] = {"programs": lambda _: programs(found)}
    if not is_up(s, found):
        return own | {"problems": lambda _: problems(kept(s))}
    return own | {
        "problems": lambda _: problems(look(s)),
        "held": lambda _: held(health.held(s)),
        "lag": lambda _: lags(lag(s)),
        "batches": lambda _: micro_batches(recent(s, datetime.now(UTC) - RATE_OVER)),
        "freshness": _freshness,
        "settled": _settled,
        "nights": _nights,
    }


def read_parts(s: Settings, own: Mapping[str, Part]) -> str:
    """All parts as text. A part that fails is 0 in `daybreak_part_success`, and a sentence on standard error."""
    families: list[Metric] = []
    success, took = dict[str, float](), dict[str, float]()
    for name, part in own.items():
        began = time.perf_counter()
        try:
            families += list(part(s))
            success[name] = 1
        except (PermanentFailure, TransientFailure) as failure:
            logs.line(f"{name} cannot be read: {failure}", "daybreak metrics")
            success[name] = 0
        took[name] = time.perf_counter() - began
    families += [
        SUCCESS.of(((name,), value) for name, value in success.items()),
        TOOK.of(((name,), value) for name, value in took.items()),
        AT.one(time.time()),
    ]
    return text(families)

"""What Prometheus reads is what the commands say, in its format and under its conventions for names."""

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import date, timedelta

import pytest
from metrics_sample import FRESH, GAP, MICRO_BATCH, NIGHT, NOW, PARTS, READ, STREAM, families, values
from prometheus_client.metrics_core import Metric

from batch.status.metrics import NIGHT_SECONDS, nights, parts, read_parts
from infra.failures import TransientFailure
from infra.metrics.family import text
from infra.metrics.programs import problems, programs
from infra.problems import keep
from infra.services.status import Condition
from infra.settings import Settings
from streaming.monitor.freshness import Clock
from streaming.monitor.lag import lag_of
from streaming.monitor.metrics import freshness, lags, micro_batches

NUMBERS = {
    ("daybreak_program_condition", ("waiting", "stream")): 1,
    ("daybreak_program_condition", ("healthy", "stream")): 0,
    ("daybreak_program_memory_bytes", ("stream",)): 512 << 20,
    ("daybreak_program_memory_peak_bytes", ("stream",)): 640 << 20,
    ("daybreak_program_uptime_seconds", ("stream",)): 90,
    ("daybreak_program_notices", ("stream",)): 1,
    ("daybreak_problems_known", ()): 1,
    ("daybreak_problems", ("log.gap",)): 1,
    ("daybreak_problem_since_timestamp_seconds", ("log.gap",)): NOW.timestamp(),
    ("daybreak_stream_held_rows", ("order_totals",)): 12,
    ("daybreak_stream_held_bytes", ("order_totals",)): 3400,
    ("daybreak_topic_written_offsets_total", ("orders",)): 500,
    ("daybreak_topic_read_offsets_total", ("orders",)): 440,
    ("daybreak_topic_lag_offsets", ("orders",)): 60,
    ("daybreak_topic_unread_seconds", ("orders",)): 48 * 3600,
    ("daybreak_topic_retention_left_seconds", ("orders",)): 120 * 3600,
    ("daybreak_stream_recent_records", ("late",)): 2,
    ("daybreak_stream_recent_batches", ()): 1,
    ("daybreak_stream_batch_mean_seconds", ()): 0.9,
    ("daybreak_stream_step_mean_seconds", ("silver",)): 0.1,
    ("daybreak_stream_watermark_timestamp_seconds", ()): NOW.timestamp() - 600,
    ("daybreak_freshness_seconds", ("arrival", "95", "silver")): 2.0,
    ("daybreak_freshness_events", ("event", "silver")): 5,
    ("daybreak_settlements", ()): 1,
    ("daybreak_settled_day_end_timestamp_seconds", ()): NOW.timestamp() - 12 * 3600,
    ("daybreak_settlement_timestamp_seconds", ()): NOW.timestamp(),
    ("daybreak_night_duration_seconds", ()): 512,
    ("daybreak_night_success", ()): 1,
    ("daybreak_part_success", ("lag",)): 1,
}


@pytest.fixture
def s(tmp_path: object) -> Settings:
    return Settings(home=tmp_path)


@pytest.fixture
def told(s: Settings) -> str:
    return read_parts(s, PARTS)


@pytest.mark.parametrize("what", NUMBERS, ids=lambda what: ".".join((what[0], *what[1])))
def test_a_number_is_what_the_command_says(told: str, what: tuple[str, tuple[str, ...]]) -> None:
    name, labels = what
    assert values(told, name)[labels] == NUMBERS[what]


def test_each_part_of_a_running_platform_is_tried_here(s: Settings) -> None:
    assert list(parts(s, [STREAM])) == list(PARTS)


def test_of_a_platform_that_is_down_no_service_is_asked(s: Settings) -> None:
    keep(s, "night", [GAP])
    down = replace(STREAM, condition=Condition.STOPPED, pid=None, memory_mb=None, peak_mb=None, up_seconds=None)
    found = read_parts(s, parts(s, [down]))
    assert values(found, "daybreak_part_success") == {("programs",): 1, ("problems",): 1}
    assert values(found, "daybreak_program_condition")["stopped", "stream"] == 1
    assert values(found, "daybreak_program_memory_bytes") == {}
    assert values(found, "daybreak_problems") == {("log.gap",): 1}


def test_a_part_that_fails_is_told_and_leaves_the_others(s: Settings, capsys: pytest.CaptureFixture[str]) -> None:
    def away(_: Settings) -> Iterator[Metric]:
        yield from nights([NIGHT])
        raise TransientFailure("Kafka does not answer")

    found = read_parts(s, {"away": away, "problems": PARTS["problems"]})
    assert values(found, "daybreak_part_success") == {("away",): 0, ("problems",): 1}
    assert values(found, "daybreak_problems_known") == {(): 1}
    assert values(found, NIGHT_SECONDS.name) == {}
    assert capsys.readouterr().err == "daybreak metrics: away cannot be read: Kafka does not answer\n"


def test_names_and_help_are_as_prometheus_asks(told: str) -> None:
    """What `promtool check metrics` finds, where it is not built, and what a family without a sample would hide."""
    names = re.findall(r"^# TYPE (\S+) (\w+)$", told, re.MULTILINE)
    assert names
    assert len(names) == len({*names})
    for name, kind in names:
        assert re.fullmatch(r"daybreak(_[a-z]+)+", name), name
        assert (kind == "counter") == name.endswith("_total"), name
        assert not re.search(r"_(count|sum|bucket|info|gauge|counter|ms|mb|days|hours|minutes)(_|$)", name), name
        assert re.search(rf"^# HELP {name} \S+ \S+", told, re.MULTILINE), name
        assert re.search(rf"^{name}[{{ ]", told, re.MULTILINE), f"{name} has no sample here"
    assert all("quantile" not in sample.labels for one in families(told) for sample in one.samples)


def test_a_label_is_a_kind_and_never_what_has_the_problem() -> None:
    many = [replace(GAP, id=f"log.gap/orders-{number}", since=NOW + timedelta(number)) for number in range(1000)]
    found = text(problems([*many, replace(GAP, id="night.unsettled", since=None)]))
    assert values(found, "daybreak_problems") == {("log.gap",): 1000, ("night.unsettled",): 1}
    assert values(found, "daybreak_problem_since_timestamp_seconds") == {("log.gap",): NOW.timestamp()}


def test_a_program_is_in_one_condition_at_a_time() -> None:
    found = values(text(programs([STREAM, replace(STREAM, name="kafka")])), "daybreak_program_condition")
    assert len(found) == 2 * len(Condition)
    assert sum(found.values()) == 2


def test_a_topic_has_the_sum_and_the_worst_of_its_partitions() -> None:
    other = replace(READ, partition=1, committed=500, first_unread=None)
    ever = replace(READ, topic="clicks", first_unread=None, committed=90, retention=None)
    found = text(lags([lag_of(one, 0, NOW) for one in (other, READ, ever)]))
    assert values(found, "daybreak_topic_read_offsets_total") == {("orders",): 940, ("clicks",): 90}
    assert values(found, "daybreak_topic_unread_seconds") == {("orders",): 172_800, ("clicks",): 0}
    assert values(found, "daybreak_topic_retention_left_seconds") == {("orders",): 120 * 3600}
    assert values(found, "daybreak_topic_lost_offsets") == {("orders",): 0, ("clicks",): 10}


def test_micro_batches_add_up_and_without_any_nothing_is_said_of_them() -> None:
    longer = MICRO_BATCH | {"durations": [("total", 2100), ("silver", 300)], "committed_at": NOW - timedelta(minutes=1)}
    found = text(micro_batches([MICRO_BATCH, longer]))
    assert values(found, "daybreak_stream_batch_mean_seconds") == {(): 1.5}
    assert values(found, "daybreak_stream_batch_longest_seconds") == {(): 2.1}
    assert values(found, "daybreak_stream_step_mean_seconds") == {("silver",): 0.2}
    assert values(found, "daybreak_stream_recent_records")["read",] == 20
    assert values(found, "daybreak_stream_batch_ended_timestamp_seconds") == {(): NOW.timestamp()}
    none = text(micro_batches([]))
    assert values(none, "daybreak_stream_recent_batches") == {(): 0}
    assert values(none, "daybreak_stream_batch_mean_seconds") == {}


def test_a_stage_without_events_has_no_freshness() -> None:
    found = text(freshness({Clock.EVENT: [replace(FRESH, events=0, p50=None, p95=None, p99=None)]}))
    assert values(found, "daybreak_freshness_seconds") == {}
    assert values(found, "daybreak_freshness_events") == {("event", "silver"): 0}


def test_the_last_night_is_the_newest_that_has_ended() -> None:
    running = replace(NIGHT, day=date(2026, 1, 31), state="running", seconds=None)
    found = text(nights([running, replace(NIGHT, state="failed"), NIGHT]))
    assert values(found, "daybreak_night_success") == {(): 0}
    assert values(text(nights([running])), "daybreak_night_success") == {}

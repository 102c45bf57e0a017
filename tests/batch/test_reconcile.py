"""A day in a lake of files with one event of every cause: what the night finds is what was put there, and nothing else."""

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from corpus import encoded, identity, order, payment
from fewer import few_views
from in_force import in_force
from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql import functions as F

from batch.archive.events import ARCHIVE, ARCHIVE_GAPS, held
from batch.corrections.ledger import CORRECTIONS, changed, correct
from batch.days.day import Day
from batch.days.day_plan import DayPlan, Settlement
from batch.explain.key import as_json, parsed
from batch.explain.known import known
from batch.explain.names import Asked
from batch.explain.steps import Kind, steps
from batch.night.all_tables import night_tables
from batch.reconciliation import reconcile as reconciling
from batch.reconciliation.causes import STEPS, Cause
from batch.reconciliation.differences import DIFFERENCES, SUMMARY
from batch.reconciliation.evidence import EVIDENCE
from batch.reconciliation.reconcile import reconcile
from batch.truth.recompute import truth
from infra import failpoints
from infra.failures import PermanentFailure
from infra.lake import spark_tables, tables
from infra.lake.rows import frame
from infra.lake.writes import append_once
from infra.problems import problems
from streaming.deduplication.deduplicate import outcomes
from streaming.shop.views.order_totals import ORDER_TOTALS
from streaming.state.changelog import counted, known_at
from streaming.state.shared_plan import answered
from streaming.state.view_state import CLOSES
from streaming.tables.bronze import RECORD
from streaming.tables.progress import INGEST, PROGRESS, MicroBatch
from streaming.tables.silver import QUARANTINE, SILVER, accepted
from streaming.tables.speed import speed_table
from streaming.validation.validate import validate
from streaming.versions.definitions import EVENTS
from streaming.views import VIEWS
from streaming.views.as_of import KNOWN_AT

pytestmark = pytest.mark.slow

DAY, LOST = Day(date(2026, 1, 30)), Day(date(2026, 1, 20))
"""A day that every cause has touched, and a day on which the machine lost events."""
WATERMARK = datetime(2026, 1, 30, 23, 50, tzinfo=UTC)
STREAM = {("orders", 0): [(0, 10), (20, 40)], ("orders", 1): [(0, 20)], ("payments", 0): [(5, 20)]}
"""What the stream read: a hole in orders-0, and payments-0 not from its beginning."""
ARCHIVE_END = 10
"""The archive ends in orders-1 before the stream does."""
NEW, OLD = "new generation", "old generation"


@dataclass(frozen=True)
class Sent:
    """One record: its bytes in the archive, and what the stream made of it (`silver` may be other bytes: another rule)."""

    place: tuple[str, int, int]
    value: bytes
    silver: bytes | None = None
    late_by_ms: int = 0
    refused: str | None = None
    archived: bool = True
    arrival: datetime = WATERMARK


def ordered(name: str, at: datetime, **changes: Any) -> bytes:
    return encoded(order(name, 0, event_time=millis(at), order_id=order_id(name), **changes))


def paid(name: str, at: datetime) -> bytes:
    return encoded(payment(f"{name} paid", 0, event_time=millis(at), order_id=order_id(name)))


def order_id(name: str) -> str:
    return f"o-{identity(name, 0).replace('-', '')}"


def millis(at: datetime) -> int:
    return round(at.timestamp() * 1000)


def oclock(hour: int, minute: int = 0, day: Day = DAY) -> datetime:
    return datetime.combine(day.date, time(hour, minute), UTC)


def both(topic: str, partition: int, offset: int, value: bytes, **more: Any) -> Sent:
    """A record that silver has as it was sent."""
    return Sent((topic, partition, offset), value, silver=value, **more)


def records() -> Iterator[Sent]:
    """Each order has an hour of its own."""
    yield both("orders", 0, 0, ordered("right", oclock(1)))
    yield both("payments", 0, 5, paid("right", oclock(1, 5)))
    yield both("orders", 0, 1, ordered("late", oclock(2)), late_by_ms=5_000)
    yield both("orders", 0, 2, ordered("partner late", oclock(3)))
    yield both("payments", 0, 6, paid("partner late", oclock(3, 5)), late_by_ms=7_000)
    yield Sent(("orders", 0, 40), ordered("not read", oclock(4)))
    yield Sent(("orders", 0, 10), ordered("gap", oclock(5)))
    yield both("orders", 0, 3, ordered("partner in a gap", oclock(6)))
    yield Sent(("payments", 0, 4), paid("partner in a gap", oclock(6, 5)))
    yield Sent(("orders", 0, 4), ordered("loosened", oclock(7)), refused="total_mismatch")
    yield Sent(("orders", 0, 5), ordered("tightened", oclock(8), total_cents=1), silver=ordered("tightened", oclock(8)))
    twice = ordered("twice", oclock(9))
    yield both("orders", 0, 6, twice)
    yield Sent(("orders", 1, 0), twice, arrival=WATERMARK - timedelta(seconds=1))
    yield both("orders", 0, 7, ordered("conflict", oclock(10)))
    other = ordered(
        "conflict", oclock(10), items=[{"product_id": "p-1", "quantity": 1, "unit_price_cents": 5}], total_cents=5
    )
    yield Sent(("orders", 1, 1), other, refused="conflict", arrival=WATERMARK - timedelta(seconds=1))
    yield both("orders", 1, ARCHIVE_END, ordered("archive behind", oclock(11)), archived=False)
    yield both(
        "orders", 1, ARCHIVE_END + 1, ordered("archive behind, and late", oclock(11)), archived=False, late_by_ms=9
    )
    yield both("orders", 0, 8, ordered("still open", oclock(23, 30)))
    # The archive ends behind these; only their places matter.
    yield Sent(("orders", 1, ARCHIVE_END - 1), b"not json", refused="not_json")
    yield both("orders", 0, 20, ordered("right there", oclock(12, day=LOST)))
    yield both("orders", 0, 21, ordered("not in the archive", oclock(13, day=LOST)), archived=False)
    yield Sent(("orders", 0, 22), ordered("not in silver", oclock(14, day=LOST)))
    cancelled = json.loads(ordered("cancelled", oclock(15, day=LOST))) | {
        "event_type": "order_cancelled",
        "reason": "-",
    }
    cancelled = {name: value for name, value in cancelled.items() if name not in ("items", "total_cents")}
    yield Sent(("orders", 0, 23), encoded(cancelled))


INJECTED = {
    "order_totals": {
        "late": {(Cause.LATE, "add")},
        "not read": {(Cause.NOT_READ, "add")},
        "gap": {(Cause.GAP, "add")},
        "loosened": {(Cause.RULE, "add")},
        "tightened": {(Cause.RULE, "take")},
        "twice": {(Cause.DUPLICATE, "add"), (Cause.DUPLICATE, "take")},
        "conflict": {(Cause.CONFLICT, "add"), (Cause.CONFLICT, "take")},
        "archive behind": {(Cause.NOT_READ, "take")},
    }
}
INJECTED["order_payments"] = INJECTED["order_totals"] | {
    "partner late paid": {(Cause.PARTNER_LATE, "add")},
    "partner in a gap paid": {(Cause.GAP, "add")},
}
# The rows that differ, and the steps of their waterfalls.
STEPPED = {
    "order_totals": {
        "late": [Cause.LATE],
        "not read": [Cause.NOT_READ],
        "gap": [Cause.GAP],
        "loosened": [Cause.RULE],
        "tightened": [Cause.RULE],
        "conflict": [Cause.CONFLICT],
        "archive behind": [Cause.NOT_READ],
    }
}
STEPPED["order_payments"] = STEPPED["order_totals"] | {
    "partner late": [Cause.PARTNER_LATE],
    "partner in a gap": [Cause.GAP],
}
HOURS = ("right", "late", "partner late", "not read", "gap", "partner in a gap", "loosened", "tightened", "twice",
         "conflict", "archive behind")  # fmt: skip
WINDOWS = {name: oclock(hour) for hour, name in enumerate(HOURS, 1)} | {"still open": oclock(23, 30)}


@pytest.fixture(scope="module")
def lake_of_files(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """A session with every record in the tables of both layers; truth of both days."""
    folder = tmp_path_factory.mktemp("lake")
    # One of each law, and one that no order changes; of each other view the law's steps are shown in test_stages.
    with pytest.MonkeyPatch.context() as patch, few_views("payment_health"):
        patch.setattr(tables, "settings", lambda: SimpleNamespace(lake=f"file:{folder}"))
        for module in (failpoints, reconciling):
            patch.setattr(module, "settings", lambda: SimpleNamespace(home=folder))
        of_the_stream = (SILVER, QUARANTINE, PROGRESS, *(speed_table(view) for view in VIEWS.values()))
        for table in (*of_the_stream, *night_tables()):
            spark_tables.create(spark, table)
        sent = list(records())
        stream(spark, sent)
        night(spark, sent)
        yield spark


def stream(spark: SparkSession, sent: Sequence[Sent]) -> None:
    """What the stream would have written."""
    versions = in_force(spark)
    in_silver = [(one.place, one.silver, one.arrival) for one in sent if one.silver]
    late = {one.place: one.late_by_ms for one in sent}
    decided = outcomes(validate(raw(spark, in_silver)).withColumn("written", F.lit(False)))
    found = accepted(decided, versions[EVENTS])
    late_by = F.lit(0).cast("long")
    for (topic, partition, offset), by in late.items():
        here = (F.col("topic") == topic) & (F.col("partition") == partition) & (F.col("offset") == offset)
        late_by = F.when(here, F.lit(by)).otherwise(late_by) if by else late_by
    stamp = {"late_by_ms": late_by, "batch_id": F.lit(0).cast("long"), "generation": F.lit(NEW)}
    append_once(found.withColumns(stamp), SILVER, "ingest", 0)
    assert spark_tables.read(spark, SILVER).count() == len(in_silver)
    refused = [{**row(one.place, one.value, one.arrival), "reasons": [one.refused]} for one in sent if one.refused]
    append_once(frame(spark, refused, QUARANTINE.schema), QUARANTINE, "ingest", 0)
    for number in range(2):
        offsets = [(*at, *ranges[number]) for at, ranges in STREAM.items() if number < len(ranges)]
        MicroBatch(INGEST, NEW, number, WATERMARK, versions, offsets).record()
    silver = spark_tables.read(spark, SILVER).withColumn(KNOWN_AT, known_at())
    for view in VIEWS.values():
        rows = answered(view, silver.where(counted(tuple(view.changelogs))))
        say(spark, view.name, rows.withColumn("is_final", F.col(CLOSES) < F.lit(WATERMARK)), NEW, versions[view.name])


def say(spark: SparkSession, view: str, rows: DataFrame, generation: str, definition: str, batch_id: int = 0) -> None:
    said = {"is_removed": F.lit(False), "as_of": F.lit(WATERMARK), "batch_id": F.lit(batch_id).cast("long")}
    said |= {"generation": F.lit(generation), "definition": F.lit(definition)}
    table = speed_table(VIEWS[view])
    append_once(rows.withColumns(said).select(*table.schema.fieldNames()), table, generation, batch_id)


def night(spark: SparkSession, sent: Sequence[Sent]) -> None:
    """What the night would have written until truth."""
    rows = []
    for one in sent:
        if one.archived:
            event = json.loads(one.value) if one.value.startswith(b"{") else {}
            at = datetime.fromtimestamp(event["event_time"] / 1000, UTC) if event else None
            envelope = {"event_id": event.get("event_id"), "event_time": at, "day": (at or one.arrival).date()}
            rows.append(row(one.place, one.value, one.arrival) | envelope)
    append_once(frame(spark, rows, ARCHIVE.schema), ARCHIVE, "archive", 0)
    for day in (DAY, LOST):
        truth(spark, day, "truth", in_force(spark))


def plan(spark: SparkSession, day: Day) -> DayPlan:
    archived = held(spark_tables.read(spark, ARCHIVE), spark_tables.read(spark, ARCHIVE_GAPS))
    ends = {at: ranges[-1][1] for at, ranges in archived.items()}
    return DayPlan(day, "run", 1, ends, in_force(spark), archived)


def raw(spark: SparkSession, found: Sequence[tuple[tuple[str, int, int], bytes | None, datetime]]) -> DataFrame:
    return frame(spark, [row(*one) for one in found], RECORD)


def row(place: tuple[str, int, int], value: bytes | None, arrival: datetime) -> dict[str, Any]:
    topic, partition, offset = place
    key = json.loads(value)["order_id"].encode() if value and value.startswith(b"{") else None
    return {"topic": topic, "partition": partition, "offset": offset, "arrival": arrival, "key": key, "value": value}


@pytest.fixture(scope="module")
def reconciled(lake_of_files: SparkSession) -> SparkSession:
    """The day of all causes, compared."""
    reconcile(lake_of_files, plan(lake_of_files, DAY))
    return lake_of_files


def named(event_id: str) -> str:
    names = [*WINDOWS, *(f"{name} paid" for name in WINDOWS)]
    return next((name for name in names if identity(name, 0) == event_id), event_id)


@pytest.mark.parametrize("view", INJECTED)
def test_the_causes_found_are_the_causes_injected(reconciled: SparkSession, view: str) -> None:
    found: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for one in of(reconciled, view, spark_tables.read(reconciled, EVIDENCE)):
        found[named(one["event_id"])].add((one["cause"], one["side"]))
        assert one["arrival"] is not None
        assert (one["late_by_ms"] > 0) == (one["cause"] in (Cause.LATE, Cause.PARTNER_LATE))
    assert found == INJECTED[view]


@pytest.mark.parametrize("view", STEPPED)
def test_every_differing_row_has_its_steps(reconciled: SparkSession, view: str) -> None:
    found = {}
    for one in of(reconciled, view, spark_tables.read(reconciled, DIFFERENCES)):
        first, *steps, last = one["waterfall"]
        assert (first["cause"], first["value"]) == ("speed", one["speed"])
        assert (last["cause"], last["value"]) == ("truth", one["truth"])
        assert steps[-1]["value"] == one["truth"]
        assert [step["cause"] for step in steps] == one["causes"]
        found[one["key"]] = one["causes"]
    keys = {key(view, name): steps for name, steps in STEPPED[view].items()}
    assert found == keys


@pytest.mark.parametrize("view", STEPPED)
def test_what_explains_a_row_is_what_was_injected_into_it(reconciled: SparkSession, view: str) -> None:
    for name, causes in STEPPED[view].items():
        given = parsed(VIEWS[view], [key(view, name)])
        assert as_json(VIEWS[view], given) == key(view, name), "as Spark writes it"
        (compared,) = (one for one in steps(known(Asked(VIEWS[view]), given, DAY.date)) if one.kind is Kind.COMPARED)
        assert compared.facts["cause"].split("+") == causes
        found = {(named(one.event_id), one.cause, one.side) for one in compared.events}
        own = {event: reasons for event, reasons in INJECTED[view].items() if event in (name, f"{name} paid")}
        assert found == {(event, *why) for event, reasons in own.items() for why in reasons}


def test_the_sums_lead_to_the_truth(reconciled: SparkSession) -> None:
    for one in of(reconciled, None, spark_tables.read(reconciled, SUMMARY)):
        assert one["speed"] + sum(one[cause] for cause in STEPS) == one["truth"]
        assert (one["unexplained"], one["rows_unexplained"]) == (0, 0)


def test_what_no_cause_explains_fails_the_run_and_is_named(reconciled: SparkSession) -> None:
    with pytest.raises(PermanentFailure) as failure:
        reconcile(reconciled, plan(reconciled, LOST))
    # And it stays a problem, whatever is run next.
    assert [one.id for one in problems(reconciling.settings())] == [f"reconcile.unexplained/{LOST}"]
    rows = spark_tables.read(reconciled, EVIDENCE).where(F.col("day") == F.lit(LOST.date))
    found = {(one["event_id"], one["cause"], one["side"]) for one in of(reconciled, "order_totals", rows, LOST)}
    assert found == {
        (identity("not in the archive", 0), Cause.UNEXPLAINED, "take"),
        (identity("not in silver", 0), Cause.UNEXPLAINED, "add"),
        # No view counts it, and still it must not be lost.
        (identity("cancelled", 0), Cause.UNEXPLAINED, "add"),
    }
    # Three events in each view of orders, and their rows.
    lost = spark_tables.read(reconciled, DIFFERENCES).where((F.col("day") == F.lit(LOST.date)) & F.col("unexplained"))
    views = {name for name, view in VIEWS.items() if "orders" in view.inputs}
    assert {one["view"] for one in lost.collect()} == views
    assert rows.where(F.col("cause") == Cause.UNEXPLAINED.value).count() == 3 * len(views) == 9
    number = lost.count() + 9
    assert str(failure.value).startswith(f"{number} differences on {LOST} have no cause; the day is not settled.")


def test_a_correction_says_which_version_was_believed_before(reconciled: SparkSession) -> None:
    spark, now = reconciled, in_force(reconciled)["order_totals"]
    speed = speed_table(ORDER_TOTALS)
    right = spark_tables.read(spark, speed).where((F.col("day") == F.lit(DAY.date)) & (F.hour("window_start") <= 3))
    # Another version said less of the first hour, the same of the third, and had counted what came late in the second.
    wrong = F.when(F.hour("window_start") == 1, F.lit(1).cast("long")).otherwise(F.col("revenue_cents"))
    stamps = ("is_final", "is_removed", "as_of", "batch_id", "generation", "definition")
    rows = right.withColumn("revenue_cents", wrong).drop(*stamps)
    late = rows.where(F.hour("window_start") == 1).withColumns(
        {name: F.col(name) + F.expr("INTERVAL 1 HOUR") for name in ("window_start", "window_end")}
    )
    believed = rows.unionByName(late)
    say(spark, "order_totals", believed.withColumn("is_final", F.lit(False)), OLD, "older")

    def causes(settled_by: str | None) -> dict[str, str]:
        previous = Settlement({"order_totals": settled_by}) if settled_by else None
        found = changed(spark, ORDER_TOTALS, replace(plan(spark, DAY), previous=previous)).collect()
        return {one["key"]: one["cause"] for one in found}

    differing = {name: "+".join(steps) for name, steps in STEPPED["order_totals"].items()}
    assert causes(None) == causes(now) == {key("order_totals", name): cause for name, cause in differing.items()}
    # Those two are not true, and the other version never said them.
    expected = {name: cause for name, cause in differing.items() if name not in ("tightened", "archive behind")}
    expected |= dict.fromkeys(("right", "partner in a gap", "twice", "still open"), "definition")
    expected |= {name: f"definition+{name}" for name in ("late", "conflict")}
    assert causes("older") == {key("order_totals", name): cause for name, cause in expected.items()}

    # A row is that version's last word once it was final; a day that was never settled is then corrected from it, but not
    # where that version had said nothing.
    assert causes(None) == causes(now), "all was still open"
    say(spark, "order_totals", believed.withColumn("is_final", F.lit(True)), OLD, "older", 1)
    expected = differing | {"right": "definition", "late": "definition+late"}
    assert causes(None) == {key("order_totals", name): cause for name, cause in expected.items()}
    assert causes(now) == {key("order_totals", name): cause for name, cause in differing.items()}


def test_a_correction_after_a_correction(reconciled: SparkSession) -> None:
    spark = reconciled
    own = plan(spark, DAY)
    correct(spark, own)
    again = replace(own, revision=2, previous=Settlement(own.definitions))
    assert changed(spark, ORDER_TOTALS, again).collect() == []
    last = datetime.now(UTC) + timedelta(minutes=1)
    told = {"day": DAY.date, "view": "order_totals", "new": "{}", "run": "-", "revision": 1, "corrected_at": last}
    rows = [
        told | {"key": key("order_totals", name), "definition": own.definitions["order_totals"]}
        for name in ("right", "partner late")
    ]
    append_once(frame(spark, rows, CORRECTIONS.schema), CORRECTIONS, "test", 0)
    found = {one["key"]: one for one in changed(spark, ORDER_TOTALS, again).collect()}
    assert {name: (one["old"], one["cause"]) for name, one in found.items()} == {
        key("order_totals", name): ("{}", Cause.REVISION.value) for name in ("right", "partner late")
    }
    older = replace(again, previous=Settlement({"order_totals": "older"}))
    found = {one["key"]: one["cause"] for one in changed(spark, ORDER_TOTALS, older).collect()}
    assert found[key("order_totals", "partner late")] == "definition"


def test_every_cause_in_the_ledger_is_a_cause(reconciled: SparkSession) -> None:
    rows = spark_tables.read(reconciled, CORRECTIONS).where("cause IS NOT NULL").select("cause").collect()
    assert rows
    assert {Cause(cause) for one in rows for cause in one["cause"].split("+")} <= set(Cause)


def of(spark: SparkSession, view: str | None, rows: DataFrame, day: Day = DAY) -> list[Row]:
    own = rows.where(F.col("day") == F.lit(day.date))
    return (own.where(F.col("view") == view) if view else own).collect()


def key(view: str, name: str) -> str:
    if view == "order_payments":
        return json.dumps({"order_id": order_id(name)}, separators=(",", ":"))
    return f'{{"window_start":"{WINDOWS[name]:%Y-%m-%dT%H:%M:%S}.000Z"}}'

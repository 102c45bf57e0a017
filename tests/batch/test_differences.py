"""A row that differs carries its causes step by step; what no cause explains is a fault, and the sums add up."""

import json
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

import pytest
from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql import functions as F

from batch.reconciliation.causes import STEPS, Cause
from batch.reconciliation.differences import STAGES, compared, differing, side_by_side, summary
from streaming.shop.views.order_totals import ORDER_TOTALS

pytestmark = pytest.mark.slow

NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)
SCHEMA = "window_start timestamp, window_end timestamp, orders long, items long, revenue_cents long"


class Case(NamedTuple):
    """A window's order count (None: no such row): as said, as counted, where a cause changes it, and in truth.

    `steps` are the causes of its waterfall with the count after each.
    """

    name: str
    speed: int | None
    counted: int | None
    after: dict[Cause, int | None]
    truth: int | None
    steps: list[tuple[Cause, int | None]]

    def at(self, stage: str) -> int | None:
        """The count at a stage; a cause that changes nothing leaves it."""
        if stage in ("speed", "truth"):
            return self.speed if stage == "speed" else self.truth
        so_far = self.counted
        for cause in STEPS[: STAGES.index(stage) - 1]:
            so_far = self.after.get(cause, so_far)
        return so_far


CASES = [
    Case("the stream was right", 3, 3, {}, 3, []),
    *[Case(f"one {cause} added", 3, 3, {cause: 4}, 4, [(cause, 4)]) for cause in STEPS],
    *[Case(f"one {cause} taken", 3, 3, {cause: 2}, 2, [(cause, 2)]) for cause in STEPS],
    Case("the whole row was late", None, None, {Cause.LATE: 2}, 2, [(Cause.LATE, 2)]),
    Case("the whole row is refused now", 2, 2, {Cause.RULE: None}, None, [(Cause.RULE, None)]),
    Case(
        "there and back", 3, 3, {Cause.LATE: 4, Cause.CONFLICT: 3}, 3, [(Cause.LATE, 4), (Cause.CONFLICT, 3)]
    ),
    Case(
        "each cause once", 0, 0, {cause: 10 * n for n, cause in enumerate(STEPS, 1)}, 10 * len(STEPS),
        [(cause, 10 * n) for n, cause in enumerate(STEPS, 1)],
    ),
    Case("never said", None, 3, {}, 3, [(Cause.UNEXPLAINED, 3)]),
    Case("said another number", 2, 3, {}, 3, [(Cause.UNEXPLAINED, 3)]),
    Case("said what never was", 1, None, {}, None, [(Cause.UNEXPLAINED, None)]),
    Case("the events do not add up to the truth", 3, 3, {}, 4, [(Cause.UNEXPLAINED, 4)]),
    Case("the truth lacks a row", 3, 3, {}, None, [(Cause.UNEXPLAINED, None)]),
    Case(
        "late, and still not the truth", 3, 3, {Cause.LATE: 4}, 5, [(Cause.LATE, 4), (Cause.UNEXPLAINED, 5)]
    ),
    Case(
        "wrong twice", 2, 3, {Cause.LATE: 4}, 5,
        [(Cause.UNEXPLAINED, 3), (Cause.LATE, 4), (Cause.UNEXPLAINED, 5)],
    ),
]  # fmt: skip


def window(place: int) -> datetime:
    """Each case has a minute of its own."""
    return NOON + timedelta(minutes=place)


@pytest.fixture(scope="module")
def rows(spark: SparkSession) -> dict[str, Row]:
    """The comparison of every case, all of them in one table."""
    found = differing(ORDER_TOTALS, compare(spark)).collect()
    return {
        case.name: row
        for case in CASES
        for row in found
        if f'"{window(CASES.index(case)):%Y-%m-%dT%H:%M}' in row["key"]
    }


def compare(spark: SparkSession) -> DataFrame:
    stages: dict[str, DataFrame] = {}
    for stage in STAGES:
        own = [(window(place), case.at(stage)) for place, case in enumerate(CASES)]
        own_rows = [(at, at + timedelta(minutes=1), n, n, n * 100) for at, n in own if n is not None]
        stages[stage] = spark.createDataFrame(own_rows, SCHEMA)
    values = [name for name in stages["counted"].columns if name != "window_start"]
    wide = stages["counted"].select("window_start", F.struct(*values).alias("counted"))
    for stage in (*STEPS, "truth"):
        after = stages[stage].select("window_start", F.struct(*values).alias(str(stage)))
        wide = wide.join(after, "window_start", "full_outer")
    return compared(ORDER_TOTALS, side_by_side(ORDER_TOTALS, wide, stages["speed"]))


def orders(value: str | None) -> int | None:
    return json.loads(value)["orders"] if value else None


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_row_has_its_causes(rows: dict[str, Row], case: Case) -> None:
    row = rows.get(case.name)
    if row is None:
        assert not case.steps, "it differs"
        return
    assert len(row["causes"]) == len(set(row["causes"]))
    assert set(row["causes"]) == {cause for cause, _ in case.steps}
    assert row["unexplained"] == (Cause.UNEXPLAINED in row["causes"])


@pytest.mark.parametrize("case", [case for case in CASES if case.steps], ids=lambda case: case.name)
def test_a_waterfall_leads_from_what_was_said_to_the_truth(rows: dict[str, Row], case: Case) -> None:
    row = rows[case.name]
    steps = [(step["cause"], orders(step["value"])) for step in row["waterfall"]]
    assert steps == [("speed", case.speed), *case.steps, ("truth", case.truth)]
    values = [step["value"] for step in row["waterfall"]]
    assert (values[0], values[-2], values[-1]) == (row["speed"], row["truth"], row["truth"])


def test_a_row_that_does_not_differ_is_no_difference(rows: dict[str, Row]) -> None:
    assert "the stream was right" not in rows


def test_every_cause_of_a_difference_is_among_the_cases() -> None:
    of_corrections_only = {Cause.DEFINITION, Cause.REVISION, Cause.OPEN}
    assert {cause for case in CASES for cause, _ in case.steps} == set(Cause) - of_corrections_only


def test_stages_are_kept_as_json_and_missing_rows_as_null(rows: dict[str, Row]) -> None:
    row = rows["the whole row was late"]
    assert (row["speed"], row["counted"]) == (None, None)
    assert '"orders":2,"items":2,"revenue_cents":200' in row["truth"]


def test_the_sums_lead_from_what_was_said_to_the_truth(spark: SparkSession) -> None:
    by_measure = {row["measure"]: row for row in summary(ORDER_TOTALS, compare(spark)).collect()}
    assert set(by_measure) == set(ORDER_TOTALS.measures)
    for row in by_measure.values():
        assert row["speed"] + sum(row[cause] for cause in STEPS) + row["unexplained"] == row["truth"]
    total = by_measure["orders"]
    for cause in STEPS:
        moved = [(case.at(STAGES[STAGES.index(cause) - 1]), case.at(cause)) for case in CASES]
        assert total[cause] == sum((after or 0) - (before or 0) for before, after in moved) != 0, cause
    assert total["rows_differing"] == sum(bool(case.steps) for case in CASES)
    assert total["rows_unexplained"] == sum(Cause.UNEXPLAINED in dict(case.steps) for case in CASES)

"""An event lies where its own time puts it, whenever and however it came."""

from datetime import UTC, date, datetime, timedelta

from pyspark.sql import SparkSession
from pyspark.sql.types import StringType, StructField, StructType

from infra.lake.rows import frame
from streaming.reasons import Outcome
from streaming.tables.silver import EVENT, accepted

MIDNIGHT = datetime(2026, 2, 1, tzinfo=UTC)
MILLISECOND = timedelta(milliseconds=1)
JUDGED = StructType(
    [field for field in EVENT if field.name not in ("definition", "day")] + [StructField("outcome", StringType())]
)


def test_an_event_lies_on_its_own_utc_day(spark: SparkSession) -> None:
    rows = [
        {"event_id": "last of January", "event_time": MIDNIGHT - MILLISECOND, "outcome": Outcome.ACCEPTED.value},
        {"event_id": "first of February", "event_time": MIDNIGHT, "outcome": Outcome.ACCEPTED.value},
        {"event_id": "again", "event_time": MIDNIGHT, "outcome": Outcome.DUPLICATE.value},
    ]
    validated = frame(spark, [{"arrival": MIDNIGHT + timedelta(days=2), **row} for row in rows], JUDGED)
    found = {row["event_id"]: (row["day"], row["definition"]) for row in accepted(validated, "v1").collect()}
    assert found == {"last of January": (date(2026, 1, 31), "v1"), "first of February": (date(2026, 2, 1), "v1")}

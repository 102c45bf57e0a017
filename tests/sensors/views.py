"""What the readings say: per sensor and five minutes, and each hot one with the room that its sensor hung in.

Data flow: readings, site.sensors -> VIEWS
Run: pytest tests/streaming/test_second_project.py

A sum of doubles depends on the order in which they are added, and the layers add in different ones: so these are thousandths.
"""

from datetime import timedelta

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from infra.lake.columns import column
from streaming.views.as_of import VALID_FROM, versions
from streaming.views.as_of_join import TIME, last_up_to
from streaming.views.law import APART, Additive, ByPart
from streaming.views.view import Events, View
from streaming.windows import tumbling

SIZE = timedelta(minutes=5)
HOT_CELSIUS = 30


def millidegrees() -> Column:
    return F.round(F.col("celsius") * 1000).cast("long")


def averages(events: Events) -> DataFrame:
    """One row per sensor and five minutes with a reading."""
    at = tumbling(F.col("event_time"), SIZE).alias("span")
    found = events["readings"].select(APART, "sensor_id", at, millidegrees().alias("millidegrees"))
    sums = found.groupBy(APART, "sensor_id", "span").agg(
        F.count("*").alias("readings"), F.sum("millidegrees").alias("millidegrees")
    )
    mean = F.try_divide(F.col("millidegrees").cast("double"), F.col("readings").cast("double"))
    start, end = F.col("span.start").alias("begins_at"), F.col("span.end").alias("ends_at")
    return sums.select("sensor_id", start, end, "readings", "millidegrees", mean.alias("mean_millidegrees"), APART)


def hot(events: Events) -> DataFrame:
    """One row per hot reading; without a sensor that hung somewhere at that time, the room is null."""
    readings = (
        events["readings"]
        .where(F.col("celsius") > HOT_CELSIUS)
        .select("event_id", "sensor_id", F.col("event_time").alias("read_at"), millidegrees().alias("millidegrees"))
    )
    known = F.struct(F.col(VALID_FROM).alias(TIME), "room")
    hung = versions(events["site.sensors"], "sensor_id").select("sensor_id", known.alias("_sensor"))
    found = last_up_to(readings, "read_at", hung, "_sensor", "sensor_id")
    one = F.lit(1).cast("long").alias("hot")
    return found.select("event_id", "sensor_id", "read_at", "millidegrees", F.col("_sensor")["room"].alias("room"), one)


SENSOR_AVERAGES = View(
    name="sensor_averages",
    description="Readings and their mean, in thousandths of a degree Celsius, per sensor and five minutes.",
    inputs=("readings",),
    define=averages,
    columns=(
        column("sensor_id", "string", "The sensor"),
        column("begins_at", "timestamp", "First instant of the five minutes (UTC)"),
        column("ends_at", "timestamp", "First instant after them (UTC)"),
        column("readings", "bigint", "Readings"),
        column("millidegrees", "bigint", "Their sum, in thousandths of a degree Celsius"),
        column("mean_millidegrees", "double", "Their mean, in thousandths of a degree Celsius"),
    ),
    key=("sensor_id", "begins_at"),
    time="begins_at",
    closes="ends_at",
    reach=SIZE,
    measures=("readings", "millidegrees"),
    law=Additive(sums=("readings", "millidegrees"), shares={"mean_millidegrees": ("millidegrees", "readings")}),
)

HOT_READINGS = View(
    name="hot_readings",
    description="Each reading of more than 30 degrees Celsius, with the room as of the reading.",
    inputs=("readings", "site.sensors"),
    define=hot,
    columns=(
        column("event_id", "string", "The reading"),
        column("sensor_id", "string", "The sensor"),
        column("read_at", "timestamp", "When (UTC)"),
        column("millidegrees", "bigint", "What it measured, in thousandths of a degree Celsius"),
        column("room", "string", "Where the sensor hung then; null if nowhere"),
        column("hot", "bigint", "1, to be summed"),
    ),
    key=("event_id",),
    time="read_at",
    closes="read_at",
    reach=timedelta(0),
    measures=("hot",),
    law=ByPart("sensor_id"),
    changelogs={"site.sensors": "sensor_id"},
)

VIEWS = (SENSOR_AVERAGES, HOT_READINGS)

"""The views: what the stream says at once, and the night proves.

Data flow: readings -> sensor_hours (tumbling window, one hour, per sensor)
Run: daybreak query "SELECT * FROM gold.fct_sensor_hours ORDER BY hour_start DESC LIMIT 5"
"""

from datetime import timedelta

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from infra.lake.columns import column
from streaming.views.law import APART, Additive
from streaming.views.view import Events, View
from streaming.windows import tumbling

HOUR = timedelta(hours=1)


def sensor_hours(events: Events) -> DataFrame:
    """One row per sensor and hour with a reading."""
    hour = tumbling(F.col("event_time"), HOUR).alias("hour")
    found = (
        events["readings"]
        .groupBy(APART, "sensor_id", hour)
        .agg(F.count("*").alias("readings"), F.sum("millidegrees").alias("millidegrees"))
    )
    start, end = F.col("hour.start").alias("hour_start"), F.col("hour.end").alias("hour_end")
    return found.select("sensor_id", start, end, "readings", "millidegrees", APART)


SENSOR_HOURS = View(
    name="sensor_hours",
    description="Readings per sensor and hour of event time, and their sum in thousandths of a degree Celsius.",
    inputs=("readings",),
    define=sensor_hours,
    columns=(
        column("sensor_id", "string", "The sensor"),
        column("hour_start", "timestamp", "First instant of the hour (UTC)"),
        column("hour_end", "timestamp", "First instant after the hour (UTC)"),
        column("readings", "bigint", "Readings"),
        column("millidegrees", "bigint", "Their sum, in thousandths of a degree Celsius"),
    ),
    key=("sensor_id", "hour_start"),
    time="hour_start",
    closes="hour_end",
    reach=HOUR,
    measures=("readings", "millidegrees"),
    law=Additive(sums=("readings", "millidegrees")),
)

VIEWS = (SENSOR_HOURS,)
"""One line for each view."""

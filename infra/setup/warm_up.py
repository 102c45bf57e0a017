"""A Spark program that does a little of everything the platform does, so that its JVM knows the classes for it.

Data flow: nothing -> a table and a session that are gone at the end; what is left is the JVM's archive of classes
Run: python3 -m infra.setup classes

Neither a store nor a broker runs while the set-up does: the readers of S3A and Kafka are built, and told that nobody answers.
"""

import sys
from contextlib import suppress
from tempfile import TemporaryDirectory

from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as F

from infra.spark_conf import FEW_ROWS, INTERPRETED

NOBODY = "127.0.0.1:9"
"""The port of `discard`, at which nothing listens."""
CONF = {
    **FEW_ROWS,
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
    "spark.sql.session.timeZone": "UTC",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.hadoop.fs.s3a.endpoint": f"http://{NOBODY}",
    "spark.hadoop.fs.s3a.endpoint.region": "us-east-1",
    "spark.hadoop.fs.s3a.path.style.access": "true",
    "spark.hadoop.fs.s3a.access.key": "nobody",
    "spark.hadoop.fs.s3a.secret.key": "nobody",
    "spark.hadoop.fs.s3a.attempts.maximum": "1",
    "spark.hadoop.fs.s3a.retry.limit": "1",
    "spark.hadoop.fs.s3a.retry.interval": "10ms",
}


def main(classpath: str, options: str) -> None:
    """Start a session with the classpath and the options of its JVM, and use it."""
    with TemporaryDirectory() as folder:
        builder = SparkSession.builder.master("local[2]").appName("daybreak set-up")
        conf = {
            **CONF,
            "spark.driver.extraClassPath": classpath,
            "spark.driver.extraJavaOptions": options,
            "spark.local.dir": folder,
            "spark.sql.warehouse.dir": f"{folder}/warehouse",
        }
        for key, value in conf.items():
            builder = builder.config(key, value)
        session = builder.getOrCreate()
        session.sparkContext.setLogLevel("OFF")
        rows = _table(session, f"{folder}/events")
        _use(rows)
        # Most of our programs interpret; the SQL gateway generates code.
        for key in (*INTERPRETED, "spark.sql.adaptive.enabled"):
            session.conf.unset(key)
        _use(rows)
        _nobody_answers(session)
        session.stop()


def _table(session: SparkSession, place: str) -> DataFrame:
    """The rows of a table that was written in both ways, by Delta and from its files."""
    numbers = (
        session.range(200).withColumn("at", F.timestamp_millis(F.col("id") * 40_000)).withColumn("k", F.col("id") % 7)
    )
    payload = F.to_json(F.struct("id", "at", F.array(F.struct(F.col("k").alias("n"))).alias("items")))
    events = numbers.withColumn("payload", payload).withColumn("day", F.to_date("at"))
    events.write.format("delta").mode("append").partitionBy("day").option("txnAppId", "a").option("txnVersion", 1).save(
        place
    )
    events.write.format("delta").mode("overwrite").option("replaceWhere", "day = DATE'1970-01-01'").save(place)
    found = session.read.format("delta").load(place)
    parsed = found.withColumn(
        "event", F.from_json("payload", "id long, at timestamp, items array<struct<n: long>>, _corrupt string")
    )
    parsed = parsed.withColumn(
        "n", F.aggregate("event.items", F.lit(0).cast("long"), lambda total, item: total + item["n"])
    )
    parsed = parsed.where(F.col("event.id").between(1, 190)).withColumn("hash", F.xxhash64("event")).coalesce(1)
    parsed.localCheckpoint().count()
    return session.read.schema(found.schema).option("basePath", place).parquet(f"{place}/day=*")


def _use(rows: DataFrame) -> None:
    newest = Window.partitionBy("k").orderBy(F.col("at").desc())
    last = rows.withColumn("place", F.row_number().over(newest)).where("place = 1").drop("place")
    sums = rows.groupBy("k", F.window("at", "10 minutes")).agg(
        F.sum("id").alias("ids"), F.max("at"), F.collect_set("id")
    )
    joined = last.join(sums, "k", "full_outer").join(F.broadcast(rows.select("k").distinct()), "k", "left_semi")
    exploded = joined.withColumn("one", F.explode(F.sequence(F.lit(1), F.lit(3)))).unionByName(
        joined.withColumn("one", F.lit(0))
    )
    exploded.dropDuplicates(["k", "one"]).persist().count()
    exploded.join(rows.select("k", "day"), "k", "left_anti").toArrow()
    exploded.sort("k").limit(5).toArrow()
    rows.sparkSession.catalog.clearCache()


def _nobody_answers(session: SparkSession) -> None:
    with suppress(Exception):
        session.read.parquet("s3a://nobody/nothing").count()
    timeouts = {"default.api.timeout.ms": "1000", "request.timeout.ms": "900", "max.block.ms": "1000"}
    options = {"kafka.bootstrap.servers": NOBODY, "subscribe": "nobody"}
    options |= {f"kafka.{name}": value for name, value in timeouts.items()}
    with suppress(Exception):
        session.read.format("kafka").options(**options).load().count()


if __name__ == "__main__":
    main(*sys.argv[1:])

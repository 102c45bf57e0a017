"""Spark's configuration: what all of our processes share, and what suits a few rows. Nothing here starts Spark, nor imports it.

Data flow: Settings -> `<home>/spark/spark-defaults.conf` (0600) -> SparkSession, spark-submit, Thrift server
Run: daybreak doctor
"""

import json
from pathlib import Path

from infra import cluster_conf, owner_only, spark_page
from infra.class_archive import spark_classpath, spark_jvm
from infra.lake.login import acting, key
from infra.owner_file import put
from infra.project import python_path
from infra.project_setting import VARIABLE as PROJECT
from infra.settings import Settings
from infra.store_users import User


def spark_defaults(s: Settings, user: User | None = None) -> dict[str, str]:
    """Settings that every session shares: Delta, S3A, UTC, ANSI, sizes for a small machine; of a cluster also what it ships.

    With the store's key of `user`, by default of who this process is.
    """
    own = key(s, user)
    shared = {
        "spark.driver.extraClassPath": spark_classpath(s),
        "spark.driver.extraJavaOptions": " ".join(spark_jvm(s)),
        "spark.local.dir": f"{s.home}/tmp",
        "spark.ui.enabled": "false",
        **spark_page.guarded(s),
        "spark.ui.showConsoleProgress": "false",
        "spark.ui.retainedJobs": "100",
        "spark.ui.retainedStages": "100",
        "spark.sql.ui.retainedExecutions": "50",
        # Spark renders the plan of every query even if it is not shown: use the short form.
        "spark.sql.ui.explainMode": "simple",
        "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
        "spark.sql.ansi.enabled": "true",
        # PySpark would record the line that built each column: four JVM calls per column, a tenth of a night's CPU.
        "spark.python.sql.dataFrameDebugging.enabled": "false",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": "2",
        # All views have hundreds of plans, and the same ones come again; Spark would forget all but the last 100.
        "spark.sql.codegen.cache.maxEntries": "2000",
        "spark.databricks.delta.snapshotPartitions": "2",
        # Rows that Parquet's reader holds at once. With 4,096 of a MB each no heap is large enough, and 64 cost no more.
        "spark.sql.parquet.columnarReaderBatchSize": "64",
        "spark.sql.warehouse.dir": f"{s.home}/spark/warehouse",
        # Hadoop sets modes itself, by this one: of checkpoints on a local disk, say.
        "spark.hadoop.fs.permissions.umask-mode": f"{owner_only.UMASK:03o}",
        "spark.hadoop.fs.s3a.endpoint": s.s3_endpoint,
        "spark.hadoop.fs.s3a.endpoint.region": s.s3_region,
        "spark.hadoop.fs.s3a.path.style.access": "true",
        "spark.hadoop.fs.s3a.access.key": own.access,
        "spark.hadoop.fs.s3a.secret.key": own.secret,
        "spark.hadoop.fs.s3a.connection.ssl.enabled": str(s.s3_endpoint.startswith("https")).lower(),
        "spark.hadoop.fs.s3a.buffer.dir": f"{s.home}/tmp",
        # Spark's Python has this code and the project's, whoever starts the driver.
        "spark.executorEnv.PYTHONPATH": python_path(s),
        f"spark.executorEnv.{PROJECT}": s.project,
    }
    if s.spark_master.startswith("local"):
        shared["spark.driver.host"] = shared["spark.driver.bindAddress"] = "127.0.0.1"
        # A driver listens for executors, which there are none of: else it would read Java objects from anybody on this machine.
        shared["spark.authenticate"] = "true"
        # Each sort of a plan takes a page at once. With Spark's 16 to 64 MB a night of eleven views, on a heap of 1.5 GB, spent a
        # fifth of its CPU on collecting garbage (82 full collections; 13 with these).
        shared["spark.buffer.pageSize"] = "1m"
    else:
        shared |= cluster_conf.of_driver(s)
    return shared | s.spark_conf


def folder_of(s: Settings, user: User) -> Path:
    """Where a user's configuration is; the night's is where spark-submit looks, as Airflow runs it."""
    return s.home / "spark" if user is User.NIGHT else s.home / "spark" / user


def write_defaults(s: Settings, user: User | None = None) -> Path:
    """Write the shared configuration for `user`, by default for who this process is, into a folder of its own.

    It holds the user's key of the store.
    """
    folder = folder_of(s, user or acting())
    folder.mkdir(parents=True, exist_ok=True)
    (s.home / "tmp").mkdir(exist_ok=True)
    put(folder / "spark-defaults.conf", "".join(f"{name} {value}\n" for name, value in spark_defaults(s, user).items()))
    (folder / "log4j2.properties").write_text(log4j(s))
    return folder


def forget_keys(s: Settings) -> None:
    """Remove every user's configuration with its key: who begins a session next writes its own, with the key of then."""
    for user in User:
        (folder_of(s, user) / "spark-defaults.conf").unlink(missing_ok=True)


def log4j(s: Settings) -> str:
    """How the JVMs of Spark log: as our Python does, by the same setting and to the same file."""
    return LOG4J.replace(TEXT, OBJECTS) if s.log_format == "json" else LOG4J


TEMPLATE = {
    "time": {
        "$resolver": "timestamp",
        "pattern": {"format": "yyyy-MM-dd'T'HH:mm:ss.SSS'Z'", "timeZone": "UTC"},
    },
    "level": {"$resolver": "level", "field": "name"},
    "logger": {"$resolver": "logger", "field": "name"},
    "message": {"$resolver": "message", "stringified": True},
    "exception": {"$resolver": "exception", "field": "stackTrace", "stackTrace": {"stringified": True}},
}
"""An object of the JVM's: the names of infra/logs.py. It has no id, since the JVM does not know it."""
TEXT = """\
appender.stderr.layout.type = PatternLayout
appender.stderr.layout.pattern = %d{HH:mm:ss} %p %c{1}: %m%n%ex
"""
OBJECTS = f"""\
appender.stderr.layout.type = JsonTemplateLayout
appender.stderr.layout.eventTemplate = {json.dumps(TEMPLATE, separators=(",", ":"))}
"""
LOG4J = f"""\
rootLogger.level = warn
rootLogger.appenderRef.stderr.ref = stderr
appender.stderr.type = Console
appender.stderr.name = stderr
appender.stderr.target = SYSTEM_ERR
{TEXT}logger.quiet.name = org.apache.spark.sql.catalyst.util
logger.quiet.level = error
logger.window.name = org.apache.spark.sql.execution.window.WindowExec
logger.window.level = error
logger.cut.name = org.apache.spark.util.SparkStringUtils
logger.cut.level = error
logger.logical.name = org.apache.spark.sql.execution.LogicalRDD
logger.logical.level = error
logger.released.name = org.apache.spark.rdd.MapPartitionsRDD
logger.released.level = error
logger.delete.name = org.apache.spark.sql.delta.commands.DeleteCommand
logger.delete.level = error
logger.native.name = org.apache.hadoop.util.NativeCodeLoader
logger.native.level = error
logger.s3a.name = org.apache.hadoop.metrics2
logger.s3a.level = error
"""


INTERPRETED = {
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    # As by default; but Spark 4.2.0 asks for it with every value of a struct, and looks the default up in the environment.
    "spark.sql.types.framework.enabled": "false",
    # If a dynamic pruning filter stays above a projection, Spark 4.2.0 evaluates it in a task that never got its result
    # ("dynamicpruning ... has not finished"). Generated code contains the result.
    "spark.sql.optimizer.dynamicPartitionPruning.enabled": "false",
}
GENERATED = {"spark.sql.codegen.wholeStage": "true", "spark.sql.codegen.factoryMode": "FALLBACK"}
"""For a plan that stands: its code is generated once, and then it runs for days. With one of the two alone it is slower."""
FEW_ROWS = {
    **INTERPRETED,
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.shuffle.partitions": "1",
    "spark.databricks.delta.snapshotPartitions": "1",
}
"""For a few thousand rows, code generation and adaptive planning take longer than the query. Delta's checksums stay on:
they list the table's files, so that no reader replays the log, which saves a fifth of a night's CPU."""

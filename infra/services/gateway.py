"""The SQL gateway: Spark's Thrift server, through which dbt and people query the lake.

Data flow: Settings -> Program; metastore in Derby under `<home>/gateway`
Run: daybreak up --only gateway
"""

from infra.class_archive import spark_jvm
from infra.services import health
from infra.services.program import BIN, Name, Program
from infra.settings import Settings

CLASS = "org.apache.spark.sql.hive.thriftserver.HiveThriftServer2"


def configuration(s: Settings) -> dict[str, str]:
    """The gateway's Spark settings, beside those that every session shares."""
    derby = f"jdbc:derby:;databaseName={s.home}/gateway/metastore;create=true"
    return {
        "spark.sql.catalogImplementation": "hive",
        # Derby allows one process, which is all that a gateway is; Hive's schema on Postgres deadlocks with itself.
        "spark.hadoop.javax.jdo.option.ConnectionURL": derby,
        "spark.hadoop.datanucleus.schema.autoCreateAll": "true",
        "spark.hadoop.hive.metastore.schema.verification": "false",
        "spark.hadoop.hive.server2.thrift.bind.host": "127.0.0.1",
        "spark.hadoop.hive.server2.thrift.port": str(s.gateway_port),
        "spark.hadoop.hive.exec.scratchdir": f"{s.home}/gateway/scratch",
        "spark.hadoop.hive.exec.local.scratchdir": f"{s.home}/gateway/local",
        # Hive's downloaded.resources.dir stays as it is, a folder per session in java.io.tmpdir: it is deleted, with all
        # in it, when a session ends.
        "spark.hadoop.hive.server2.logging.operation.log.location": f"{s.home}/gateway/operations",
        # Each of these threads has a connection to the metastore, which takes longer to open than most queries to run; by
        # Hive's defaults nearly every query has a new thread.
        "spark.hadoop.hive.server2.async.exec.threads": "8",
        "spark.hadoop.hive.server2.async.exec.keepalive.time": "86400s",
        # A result is fetched in parts: a careless `SELECT *` must not fill the driver.
        "spark.sql.thriftServer.incrementalCollect": "true",
        # A session keeps its connection to the metastore; as another user it would open one for each query.
        "spark.hadoop.hive.server2.enable.doAs": "false",
    }


def program(s: Settings) -> Program:
    """The Thrift server, in the foreground."""
    options = [part for key, value in configuration(s).items() for part in ("--conf", f"{key}={value}")]
    return Program(
        name=Name.GATEWAY,
        command=(
            str(BIN / "spark-submit"),
            "--master",
            s.spark_master,
            "--driver-memory",
            s.gateway_memory,
            "--name",
            "gateway",
            "--driver-java-options",
            " ".join([*spark_jvm(s, s.gateway_jvm), f"-Dderby.stream.error.file={s.home}/gateway/derby.log"]),
            *options,
            "--class",
            CLASS,
            "spark-internal",
        ),
        ports={"gateway_port": s.gateway_port},
        needs=(Name.MINIO,),
        waits_for=lambda pid: health.port(s.gateway_host, s.gateway_port),
        prepare=lambda: (s.home / "gateway").mkdir(exist_ok=True),
        start_seconds=180,
    )

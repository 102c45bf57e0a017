"""The SQL gateway: Spark's Thrift server, through which dbt and people query the lake.

Data flow: Settings -> Program; metastore in Derby under `<home>/gateway`
Run: daybreak up --only gateway
"""

import json
import sys
import time
from pathlib import Path

from infra import left_behind
from infra.services import health
from infra.services.program import Name, Program, settings_env
from infra.settings import Settings
from infra.spark_conf import spark_defaults
from infra.sql.users import users_file
from infra.tls.files import OPENS, files
from infra.tls.trust import context

AUDIT_BYTES = 5_000_000
"""Of the log of refusals, and as much again of the one before it."""
LATELY_SECONDS = 600.0
"""For how long `daybreak status` tells of a statement that the guard has ended."""


def configuration(s: Settings) -> dict[str, str]:
    """The gateway's Spark settings, beside those that every session shares."""
    spill, scratch, local, operations, _ = folders(s)
    derby = f"jdbc:derby:;databaseName={metastore(s)};create=true"
    return {
        "spark.sql.catalogImplementation": "hive",
        # Derby allows one process, which is all that a gateway is; Hive's schema on Postgres deadlocks with itself.
        "spark.hadoop.javax.jdo.option.ConnectionURL": derby,
        "spark.hadoop.datanucleus.schema.autoCreateAll": "true",
        "spark.hadoop.hive.metastore.schema.verification": "false",
        "spark.hadoop.hive.server2.thrift.bind.host": "127.0.0.1",
        "spark.hadoop.hive.server2.thrift.port": str(s.gateway_port),
        "spark.hadoop.hive.exec.scratchdir": str(scratch),
        "spark.hadoop.hive.exec.local.scratchdir": str(local),
        # Hive's downloaded.resources.dir stays as it is, a folder per session in java.io.tmpdir: it is deleted, with all
        # in it, when a session ends.
        "spark.hadoop.hive.server2.logging.operation.log.location": str(operations),
        # Each of these threads has a connection to the metastore, which takes longer to open than most queries to run; by
        # Hive's defaults nearly every query has a new thread.
        "spark.hadoop.hive.server2.async.exec.threads": "8",
        "spark.hadoop.hive.server2.async.exec.keepalive.time": "86400s",
        # A result is fetched in parts: a careless `SELECT *` must not fill the driver, nor must one part of it.
        "spark.sql.thriftServer.incrementalCollect": "true",
        "spark.driver.maxResultSize": "128m",
        # A statement must not take a core for ever; dbt's sessions have no limit (infra/sql/gold.py).
        "spark.sql.thriftServer.queryTimeout": f"{s.gateway_query_seconds}s",
        # A task that runs out of memory ends its statement. By default it ends the process (exit 52), and all other statements.
        "spark.executor.killOnFatalError.depth": "0",
        # A session keeps its connection to the metastore; as another user it would open one for each query.
        "spark.hadoop.hive.server2.enable.doAs": "false",
        **(_encrypted(s) if s.has_tls else {}),
        # What its statements spill, apart from what others do, so that the guard can limit it.
        "spark.local.dir": str(spill),
    }


def metastore(s: Settings) -> Path:
    """The folder of its catalogue: which tables there are, and where."""
    return Path(s.gateway_metastore or s.home / "gateway" / "metastore")


def _encrypted(s: Settings) -> dict[str, str]:
    own = {"use.SSL": "true", "keystore.path": str(files(s).keystore), "keystore.password": OPENS}
    return {f"spark.hadoop.hive.server2.{name}": value for name, value in own.items()}


def folders(s: Settings) -> tuple[Path, ...]:
    """What it works in while it runs, empty at each start: rows that it spilled, Hive's three, its JVM's."""
    own = s.home / "gateway"
    return (
        *(own / name for name in ("spill", "scratch", "local", "operations")),
        left_behind.working_folder(s, "gateway"),
    )


def guarded(s: Settings) -> dict[str, str]:
    """What lets nobody in without a password, and checks each statement. No setting of a person's takes it away."""
    name = "spark.sql.extensions"
    return {
        # In front of Delta's, or a person's: it is to see a path first.
        name: f"daybreak.sql.Rights,{s.of_gateway.get(name) or spark_defaults(s)[name]}",
        "spark.daybreak.gateway.users": str(users_file(s)),
        "spark.daybreak.gateway.audit": str(audit_file(s)),
        "spark.daybreak.gateway.auditBytes": str(AUDIT_BYTES),
        "spark.daybreak.gateway.lake": s.lake,
        "spark.daybreak.gateway.readerRows": str(s.gateway_reader_rows),
        "spark.hadoop.hive.server2.authentication": "CUSTOM",
        # Who has logged in is who he is.
        "spark.hadoop.hive.server2.allow.user.substitution": "false",
        "spark.sql.runSQLOnFiles": "false",
        # `SELECT '${env:...}'` would tell anybody what the process's environment and Spark's settings hold.
        "spark.sql.variable.substitute": "false",
    }


def jvm(s: Settings) -> str:
    """The options of its JVM."""
    told = {
        "java.io.tmpdir": str(left_behind.working_folder(s, "gateway")),
        "derby.stream.error.file": f"{s.home}/gateway/derby.log",
        # Hive looks these two up among the JVM's own properties.
        "hive.server2.authentication": "CUSTOM",
        "hive.server2.custom.authentication.class": "daybreak.sql.Passwords",
    }
    return " ".join([s.gateway_jvm, *(f"-D{name}={value}" for name, value in told.items())])


def audit_file(s: Settings) -> Path:
    """A line of JSON for each login that failed and each statement that was refused; the file before it ends with `.1`."""
    return s.home / "logs" / "gateway-audit.jsonl"


def program(s: Settings) -> Program:
    """`python -m infra.sql.server`: the Thrift server and the guard beside it."""
    return Program(
        name=Name.GATEWAY,
        command=(sys.executable, "-m", "infra.sql.server"),
        env=settings_env(),
        ports={"gateway_port": s.gateway_port},
        needs=(Name.STORE,),
        waits_for=lambda pid: health.port(s.gateway_host, s.gateway_port, context(s, "gateway_host")),
        notices=lambda pid: notices(s, pid),
        # Hive lists this folder whenever a session ends, and complains if it is not there.
        prepare=lambda: (s.home / "gateway" / "local").mkdir(parents=True, exist_ok=True),
        start_seconds=180,
    )


def notices(s: Settings, pid: int) -> tuple[str, ...]:
    """What the guard of the running gateway, process `pid`, has ended lately (infra/sql/server.py writes it)."""
    file = s.home / "run" / "gateway.json"
    said = json.loads(file.read_text()) if file.exists() else {}
    lately = time.time() - LATELY_SECONDS
    return tuple(one["what"] for one in said.get("ended", ()) if one["at"] > lately) if said.get("pid") == pid else ()

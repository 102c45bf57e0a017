"""Spark settings of a session on a cluster: who may talk to it, where it listens, its share, and the code it ships.

Data flow: Settings -> Spark settings, or a sentence about what executors could not reach
Run: pytest tests/infra/test_cluster_conf.py
"""

from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

from infra.class_archive import trusting
from infra.failures import PermanentFailure
from infra.jvm import LATER_C2, base
from infra.project import place
from infra.project_setting import VARIABLE as PROJECT
from infra.settings import Settings
from infra.shipped_code import UNPACKED, packed

STANDALONE = "spark://"
OF_EXECUTORS = f"{LATER_C2} -XX:MetaspaceSize=256m"
"""Options of an executor's JVM, which has one core by default: as those of drivers (infra/jvm.py)."""
IDLE_SECONDS = 20
"""After so long without a task the gateway gives its executors back."""


def guarded(s: Settings) -> dict[str, str]:
    """Connections of drivers, executors and a standalone master are authenticated and encrypted; so is what they spill.

    Spark makes the secret itself on YARN and Kubernetes, an own one for each application.
    """
    own = {"spark.authenticate.secret": s.spark_secret.get_secret_value()} if _is_standalone(s) else {}
    return own | {
        "spark.authenticate": "true",
        "spark.network.crypto.enabled": "true",
        "spark.network.crypto.cipher": "AES/GCM/NoPadding",
        "spark.network.crypto.saslFallback": "false",
        "spark.io.encryption.enabled": "true",
    }


def of_driver(s: Settings) -> dict[str, str]:
    """What every driver on a cluster shares. Writes the archive of our code and the project's into `<home>/spark`."""
    jars, own = sorted((s.home / "jars" / "spark").resolve().glob("*.jar")), place(s)
    return guarded(s) | {
        "spark.driver.host": s.spark_address,
        "spark.driver.bindAddress": s.spark_address,
        "spark.jars": ",".join(str(jar) for jar in jars),
        "spark.archives": f"{packed(s.home / 'spark', project=own)}#{UNPACKED}",
        "spark.executorEnv.PYTHONPATH": UNPACKED,
        # The project is unpacked beside our packages: there it is a module, also if it is a folder here.
        f"spark.executorEnv.{PROJECT}": own.module,
        "spark.executor.extraJavaOptions": " ".join([*base(), OF_EXECUTORS, *trusting(s)]),
        # Of each JVM, where it may write: an executor's machine has no home of ours.
        "spark.hadoop.fs.s3a.buffer.dir": "${java.io.tmpdir}/s3a",
    }


def share(s: Settings, process: str) -> dict[str, str]:
    """What `process` (stream, night, gateway) takes of the cluster, where a person has set nothing else.

    The stream has half of the cores, the night and the gateway a quarter each, and all of them one at least. With less than
    three cores there is not one for each: the gateway has none while nobody asks it.
    """
    if s.spark_master.startswith("local"):
        return {}
    cores = str(max(s.cluster_cores // (2 if process == "stream" else 4), 1))
    # A standalone master counts cores; the others start as many executors as they are told, of a core each by default.
    count = {"spark.cores.max": cores} if _is_standalone(s) else {"spark.executor.instances": cores}
    if process != "gateway":
        return count | {"spark.executor.memory": "1g"}
    return {
        "spark.executor.memory": "1g",
        "spark.executor.cores": "1",
        "spark.dynamicAllocation.enabled": "true",
        "spark.dynamicAllocation.minExecutors": "0",
        "spark.dynamicAllocation.maxExecutors": cores,
        "spark.dynamicAllocation.executorIdleTimeout": f"{IDLE_SECONDS}s",
        # What an executor still holds of an earlier statement is computed again.
        "spark.dynamicAllocation.cachedExecutorIdleTimeout": f"{IDLE_SECONDS}s",
        "spark.dynamicAllocation.shuffleTracking.enabled": "true",
        "spark.dynamicAllocation.shuffleTracking.timeout": f"{IDLE_SECONDS}s",
    }


def refuse_unreachable(s: Settings) -> None:
    """Raise PermanentFailure where executors could not work: without the secret, or with something that they cannot reach."""
    if s.spark_master.startswith("local"):
        return
    wants_secret = _is_standalone(s) and s.spark_conf.get("spark.authenticate", "true") == "true"
    if wants_secret and not s.spark_secret.get_secret_value():
        raise PermanentFailure(
            f"there is no secret for Spark's master {s.spark_master}: `daybreak cluster-conf FOLDER` makes it "
            "(DAYBREAK_SPARK_SECRET) and writes what the master and the workers need"
        )
    if not is_here(s) and (found := _unreachable(s)):
        raise PermanentFailure(
            f"executors of {s.spark_master} run on other machines and cannot reach " + "; ".join(found)
        )


def is_here(s: Settings) -> bool:
    """Is it a standalone master on this machine's loopback, with all its workers?"""
    hosts = s.spark_master.removeprefix(STANDALONE).split(",")
    return _is_standalone(s) and all(is_loopback(host.rpartition(":")[0].strip("[]") or host) for host in hosts)


def is_loopback(host: str) -> bool:
    """Does this name or address mean the machine itself?"""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _is_standalone(s: Settings) -> bool:
    return s.spark_master.startswith(STANDALONE)


def _unreachable(s: Settings) -> list[str]:
    """A sentence's part for each."""
    found = []
    if is_loopback(s.spark_address):
        found.append(f"the drivers at {s.spark_address}: set DAYBREAK_SPARK_ADDRESS to an address of this machine")
    if any(is_loopback(server.rpartition(":")[0].strip("[] ")) for server in s.kafka_bootstrap.split(",")):
        found.append(f"Kafka at {s.kafka_bootstrap}: set DAYBREAK_KAFKA_BOOTSTRAP to brokers of your own")
    if is_loopback(urlsplit(s.s3_endpoint).hostname or ""):
        found.append(f"the lake at {s.s3_endpoint}: set DAYBREAK_S3_ENDPOINT to a store of your own")
    if Path(urlsplit(s.checkpoints).path).is_relative_to(s.home) and urlsplit(s.checkpoints).scheme in ("", "file"):
        found.append(f"the checkpoints in {s.checkpoints}: set DAYBREAK_CHECKPOINTS, e.g. to {s.lake}/checkpoints")
    return found

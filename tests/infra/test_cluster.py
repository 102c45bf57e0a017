"""A Spark standalone cluster: what it gives, whom it turns away, and what is said when there is none."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from doors import asked, ears
from spark_cluster import HOST, Cluster

from infra import secrets
from infra.settings import Settings, load, settings

pytestmark = pytest.mark.slow

STARTS = """
from infra.failures import reported
from infra.session import spark
with reported():
    spark("alone", "512m", "stream_memory", conf={"spark.cores.max": "1", "spark.executor.memory": "512m"})
"""
WORKS = """
import json, psutil, sys
import pyarrow as pa
from pyspark.sql.pandas.functions import arrow_udf
from infra.session import spark
from infra.settings import settings

def looked(values):
    import os, infra
    from streaming.encodings.avro_schemas import texts
    return pa.array([f"{infra.__file__} {len(texts('orders'))} {os.getcwd()}"] * len(values))

own = spark("works", "512m", "stream_memory", conf={"spark.executor.memory": "512m"})
(row,) = own.range(1).select(arrow_udf(looked, "string")("id").alias("found")).collect()
file, schemas, folder = row["found"].split()
secret, mine = settings().spark_secret.get_secret_value(), []
for process in psutil.process_iter():
    try:
        words = " ".join(process.cmdline())
        if sys.argv[1] in " ".join([words, *process.environ().values()]):
            ears = {one.laddr.ip.removeprefix("::ffff:") for one in process.net_connections() if one.status == "LISTEN"}
            mine.append({"words": words, "ears": sorted(ears), "tells": secret in words})
    except psutil.Error:
        pass
print(json.dumps({"file": file, "schemas": int(schemas), "folder": folder, "processes": mine}))
"""


@pytest.fixture(scope="module")
def s(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """The settings of a home with secrets."""
    home = tmp_path_factory.mktemp("home")
    (home / "jars").symlink_to(settings().home / "jars")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DAYBREAK_HOME", str(home))
        secrets.ensure(load())
        return load()


@pytest.fixture(scope="module")
def cluster(s: Settings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A master without workers."""
    own = Cluster(tmp_path_factory.mktemp("cluster"), s)
    yield own
    own.stop()


def begun(s: Settings, url: str, program: str, *arguments: str, **more: str) -> subprocess.Popen[str]:
    """A program that starts a session there."""
    env = os.environ | {"DAYBREAK_HOME": str(s.home), "DAYBREAK_SPARK_MASTER": url, "DAYBREAK_RESOURCES_SECONDS": "3"}
    command = [sys.executable, "-c", program, *arguments]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, env=env | more, stdout=pipe, stderr=pipe, text=True, start_new_session=True)


def test_a_cluster_that_gives_nothing_is_told_with_what_was_asked(s: Settings, cluster: Cluster) -> None:
    program = begun(s, cluster.url, STARTS)
    _, wrong = program.communicate(timeout=300)
    assert program.returncode == 1, wrong[-3000:]
    (said,) = (line for line in wrong.splitlines() if line.startswith("daybreak: "))
    assert f"no executor of {cluster.url} took a job within 3 s" in said
    assert "spark.cores.max=1, spark.executor.memory=512m" in said
    assert "DAYBREAK_NIGHT_CONF" in said


def test_an_application_without_the_secret_is_turned_away(s: Settings, cluster: Cluster) -> None:
    program = begun(s, cluster.url, STARTS, DAYBREAK_SPARK_SECRET="another")
    try:
        assert program.stderr
        lines = iter(program.stderr.readline, "")
        # It would try for a minute, and then say that the master gives no session.
        assert next((line for line in lines if "Failed to connect to master" in line), "")
        assert cluster.holds() == {}
    finally:
        os.killpg(program.pid, signal.SIGKILL)
        program.communicate()


def test_executors_run_our_code_and_all_listen_at_one_address(s: Settings, cluster: Cluster) -> None:
    # Of the cluster's processes, and of the driver's.
    mark = str(cluster.folder)
    cluster.worker()
    program = begun(s, cluster.url, WORKS, mark, MARK=mark, DAYBREAK_RESOURCES_SECONDS="120")
    said, wrong = program.communicate(timeout=300)
    assert program.returncode == 0, wrong[-3000:]
    found: dict[str, Any] = json.loads(said.splitlines()[-1])
    assert found["folder"].startswith(f"{cluster.folder}/work-1/")
    assert found["file"] == f"{found['folder']}/daybreak/infra/__init__.py"
    assert found["schemas"] == 2
    kinds = ("pyspark-shell", "deploy.master.Master", "deploy.worker.Worker", "CoarseGrainedExecutorBackend")
    assert all(any(kind in one["words"] for one in found["processes"]) for kind in kinds)
    assert {ear for one in found["processes"] for ear in one["ears"]} == {HOST}
    assert not any(one["tells"] for one in found["processes"])


def test_no_port_of_master_and_workers_answers_anybody(cluster: Cluster) -> None:
    cluster.worker()
    said = [
        asked(port, path) for port in set(ears(one.pid for one in cluster.running)) for path in ("/", "/json/", "/log/")
    ]
    # The master's page and the worker's; their other ports speak no HTTP.
    assert {answer[0] for answer in said if answer} == {401}
    assert sum(answer is not None for answer in said) >= 6

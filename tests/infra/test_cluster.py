"""A Spark master without workers, and none at all: a sentence each, and what to do."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from socket import create_connection, socket

import pyspark
import pytest

from infra.settings import settings

pytestmark = pytest.mark.slow

STARTS = """
from infra.failures import reported
from infra.session import spark
with reported():
    spark("alone", "512m", "stream_memory", conf={"spark.cores.max": "1", "spark.executor.memory": "512m"})
"""


def free_port() -> int:
    with socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture
def master() -> Iterator[int]:
    """The port of a standalone master, from the pyspark wheel, without workers."""
    port = free_port()
    command = [str(Path(pyspark.__file__).parent / "bin" / "spark-class"), "org.apache.spark.deploy.master.Master"]
    command += ["--host", "127.0.0.1", "--port", str(port), "--webui-port", "0"]
    env = os.environ | {"SPARK_LOCAL_IP": "127.0.0.1", "SPARK_DAEMON_MEMORY": "256m"}
    running = subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 60
        while True:
            try:
                create_connection(("127.0.0.1", port), 1).close()
                break
            except OSError:
                assert time.monotonic() < deadline
                assert running.poll() is None
                time.sleep(0.1)
        yield port
    finally:
        running.kill()
        running.wait()


def start(home: Path, url: str) -> str:
    """What a program says that starts a session there; it fails, and a retry could help."""
    (home / "jars").symlink_to(settings().home / "jars")
    env = os.environ | {"DAYBREAK_HOME": str(home), "DAYBREAK_SPARK_MASTER": url, "DAYBREAK_RESOURCES_SECONDS": "3"}
    env |= {"SPARK_LOCAL_IP": "127.0.0.1"}
    ended = subprocess.run([sys.executable, "-c", STARTS], env=env, capture_output=True, text=True, timeout=180)
    assert ended.returncode == 1
    (said,) = (line for line in ended.stderr.splitlines() if line.startswith("daybreak: "))
    return said


def test_a_cluster_that_gives_nothing_is_told_with_what_was_asked(master: int, tmp_path: Path) -> None:
    said = start(tmp_path, f"spark://127.0.0.1:{master}")
    assert f"no executor of spark://127.0.0.1:{master} took a job within 3 s" in said
    assert "spark.cores.max=1, spark.executor.memory=512m" in said
    assert "DAYBREAK_NIGHT_CONF" in said


def test_a_master_that_is_none_is_named(tmp_path: Path) -> None:
    said = start(tmp_path, "spark://127.0.0.1")
    assert "Spark's master spark://127.0.0.1 (DAYBREAK_SPARK_MASTER) gives no session: " in said

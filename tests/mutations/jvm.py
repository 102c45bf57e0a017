"""One Spark JVM for many runs of pytest: each makes a new SparkContext in it, and finds Spark's classes loaded and compiled.

Data flow: settings -> a JVM -> the environment of the Python processes that shall use it
Run: python -m tests.mutations
Source: pyspark.java_gateway, PYSPARK_GATEWAY_PORT and PYSPARK_GATEWAY_SECRET.
"""

import os
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from pyspark import SparkConf
from pyspark.java_gateway import launch_gateway

from infra.jvm import QUICK_JVM
from infra.settings import settings
from infra.spark_conf import INTERPRETED, write_defaults


@contextmanager
def warm_jvm() -> Iterator[Mapping[str, str]]:
    """The JVM lives as long as the context. A cold one takes longer than most tests."""
    with TemporaryDirectory(prefix="daybreak-jvm-") as folder:
        home = Path(folder)
        (home / "jars").symlink_to(settings().home / "jars")
        os.environ["SPARK_CONF_DIR"] = str(write_defaults(settings().model_copy(update={"home": home})))
        os.environ["JAVA_TOOL_OPTIONS"] = QUICK_JVM
        # Spark's Python workers look for code in the JVM's folder first: there is none, so they take the mutated tree's.
        how = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": folder}
        gateway = launch_gateway(SparkConf(loadDefaults=False).setAll([*INTERPRETED.items()]), how)
        where = gateway.java_parameters
        try:
            yield {"PYSPARK_GATEWAY_PORT": str(where.port), "PYSPARK_GATEWAY_SECRET": where.auth_token}
        finally:
            gateway.shutdown()
            # It ends when its input does.
            gateway.proc.communicate()

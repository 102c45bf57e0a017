"""Create the Spark session of each process.

Data flow: Settings, infra/spark_conf.py -> SparkSession
Run: daybreak doctor
"""

import os
import sys
from collections.abc import Mapping
from types import MappingProxyType

from pyspark.sql import SparkSession

from infra.class_archive import spark_jvm
from infra.settings import settings
from infra.spark_conf import write_defaults


def spark(app: str, memory: str, jvm: str = "", conf: Mapping[str, str] = MappingProxyType({})) -> SparkSession:
    """A session for `app`; `jvm` are options of its own JVM, `conf` are Spark settings of its own."""
    s = settings()
    os.environ["SPARK_CONF_DIR"] = str(write_defaults(s))
    if s.spark_master.startswith("local"):
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
        # Else Spark starts the `python3` of the PATH for Python columns.
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.appName(app).master(s.spark_master).config("spark.driver.memory", memory)
    builder = builder.config("spark.driver.extraJavaOptions", " ".join(spark_jvm(s, jvm)))
    for key, value in conf.items():
        builder = builder.config(key, value)
    own = builder.getOrCreate()
    know_often_used(own)
    return own


def know_often_used(session: SparkSession) -> None:
    """Cache the JVM classes that PySpark looks up by short name, thousands of times in a night.

    Otherwise each look-up searches every jar, for each package that may contain the class.
    """
    jvm = session.sparkContext._jvm
    for name in ("PythonUtils", "PythonSQLUtils", "functions"):
        vars(jvm).setdefault(name, getattr(jvm, name))

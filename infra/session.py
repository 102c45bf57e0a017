"""Create the Spark session of each process.

Data flow: Settings, infra/spark_conf.py -> SparkSession
Run: daybreak doctor
"""

import logging
import os
import sys
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from pyspark.sql import SparkSession

from infra import cluster, cluster_conf, left_behind, out_of_memory
from infra.class_archive import spark_jvm
from infra.settings import settings
from infra.spark_conf import write_defaults

LOCAL_DIR = "spark.local.dir"


def spark(
    app: str,
    memory: str,
    setting: str,
    jvm: str = "",
    conf: Mapping[str, str] = MappingProxyType({}),
) -> SparkSession:
    """A session for `app`, whose heap is `memory`, given by a `setting`; `jvm` are options of its own JVM, `conf` are Spark
    settings of its own.
    """
    s = settings()
    logging.getLogger().addFilter(_is_not_of_py4j)
    cluster_conf.refuse_unreachable(s)
    os.environ["SPARK_CONF_DIR"] = str(write_defaults(s))
    # A page's password travels in the clear: on a cluster too only the driver's other listeners have an address of their own.
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    # Else Spark starts the `python3` of the PATH for Python columns, an executor its machine's.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.appName(app).master(s.spark_master).config("spark.driver.memory", memory)
    builder = builder.config("spark.driver.extraJavaOptions", " ".join(spark_jvm(s, jvm)))
    is_local = s.spark_master.startswith("local")
    if is_local and LOCAL_DIR not in {**s.spark_conf, **conf}:
        conf = {**conf, LOCAL_DIR: str(left_behind.of_this_process(s.home, os.getpid()))}
    for key, value in {**cluster_conf.share(s, setting.removesuffix("_memory")), **conf}.items():
        builder = builder.config(key, value)
    own = builder.getOrCreate() if is_local else cluster.started(builder, s)
    gateway: Any = own.sparkContext._gateway
    out_of_memory.watch(gateway.proc, memory, setting)
    know_often_used(own)
    size_code_cache(own)
    return own


def _is_not_of_py4j(record: logging.LogRecord) -> bool:
    """Py4J logs with a traceback that the JVM is gone, also after whom it raises it to has said why."""
    return record.module not in ("clientserver", "java_gateway")


def size_code_cache(session: SparkSession) -> None:
    """Let Spark make its cache of generated code in this thread, whose session says how large it is.

    It is made when the first code is compiled; in a thread without a session it has room for 100 classes, and all views have 400:
    each would be compiled anew by each micro-batch.
    """
    jvm: Any = session.sparkContext._jvm
    jvm.org.apache.spark.sql.catalyst.expressions.codegen.CodeGenerator.resetCompileTime()


class Known:
    """A Java class whose members are looked up once: Py4J asks the JVM at each use what kind of member it is."""

    def __init__(self, of: Any) -> None:
        self._of = of

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._of, name)
        setattr(self, name, found)
        return found


def know_often_used(session: SparkSession) -> None:
    """Keep the JVM classes that PySpark looks up by name, tens of thousands of times in a night, and their members.

    Of five calls that a column costs, two were such look-ups. One by short name looks into every jar, for each package that may
    contain the class.
    """
    jvm = session.sparkContext._jvm
    for name in ("functions", "org.apache.spark.sql.functions", "PythonSQLUtils", "PythonUtils"):
        vars(jvm).setdefault(name, Known(getattr(jvm, name)))
    for name in ("PythonRDD", "SerDeUtil", "SimplePythonFunction"):
        vars(jvm).setdefault(name, getattr(jvm, name))

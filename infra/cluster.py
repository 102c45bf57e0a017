"""Spark on a cluster: an application that gets nothing says so, and does not wait in silence.

Data flow: Settings, a builder -> SparkSession with an executor that works, or a sentence
Run: DAYBREAK_SPARK_MASTER=spark://host:7077 python -m streaming
"""

from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from threading import Thread

from pyspark.sql import SparkSession

from infra.cause import sentence
from infra.failures import TransientFailure
from infra.settings import Settings

ASKED = ("spark.cores.max", "spark.executor.cores", "spark.executor.memory", "spark.executor.instances")
"""What an application asks for; where it names none of a kind, the cluster's defaults count."""


def started(builder: SparkSession.Builder, s: Settings) -> SparkSession:
    """The session, once an executor has done a job. Raises TransientFailure if the master or the executors do not answer."""
    try:
        own = builder.getOrCreate()
    except Exception as failure:
        raise TransientFailure(
            f"Spark's master {s.spark_master} (DAYBREAK_SPARK_MASTER) gives no session: {sentence(str(failure))}"
        ) from failure
    # A job, and no look at the executors: with dynamic allocation there is none before the first.
    job: Future[int] = Future()
    Thread(target=lambda: _settle(job, own.range(1).count), daemon=True).start()
    with suppress(TimeoutError):
        job.result(s.resources_seconds)
        return own
    asked = {name: value for name in ASKED if (value := own.conf.get(name, None))}
    own.stop()
    said = ", ".join(f"{name}={value}" for name, value in asked.items()) or "the cluster's defaults"
    raise TransientFailure(
        f"no executor of {s.spark_master} took a job within {s.resources_seconds} s: the cluster has no free cores or memory for "
        f"this application ({said}), or its executors do not reach the driver at {s.spark_address}. The master's page says "
        "who holds them, and give each process a share: "
        'DAYBREAK_STREAM_CONF, DAYBREAK_NIGHT_CONF, DAYBREAK_GATEWAY_CONF, e.g. {"spark.cores.max": "2"}'
    )


def _settle(job: Future[int], run: Callable[[], int]) -> None:
    """Run it for whoever waits; a Future of a pool would keep the process from its end."""
    try:
        job.set_result(run())
    except Exception as failure:
        job.set_exception(failure)

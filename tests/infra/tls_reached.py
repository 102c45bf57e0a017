"""Clients as our programs make them, each of which asks its service something.

Data flow: Settings -> an answer, or the client's own refusal
Run: pytest tests/infra/test_tls_services.py
"""

import asyncio
import time
from collections.abc import Callable
from typing import Any

import asyncpg
import pyarrow as pa
from confluent_kafka import KafkaError, KafkaException
from confluent_kafka.admin import AdminClient
from deltalake import DeltaTable, write_deltalake
from pyarrow import fs
from pyspark.sql import SparkSession
from sqlalchemy import create_engine, text

from infra.airflow import database
from infra.class_archive import trusting
from infra.kafka import login
from infra.kafka.spark_source import spark_options
from infra.lake import reader, s3
from infra.lake.lease import Lease
from infra.postgres_login import password
from infra.postgres_roles import Role
from infra.settings import ROOT, Settings
from infra.shop.db import connector
from infra.spark_conf import spark_defaults
from infra.store_users import User as StoreUser
from infra.tls import trust

SECONDS = 10
DRIVER: list[Any] = []
"""Debezium's, of this process's JVM. Py4J keeps methods by the name of their class, so it must be one class."""


def minio(s: Settings) -> None:
    assert s3.client(s, tries=1, user=StoreUser.ROOT).bucket_exists(s.bucket)


def delta_rs(s: Settings) -> None:
    options = reader.options(s, StoreUser.ROOT) | {"max_retries": "0"}
    if not DeltaTable.is_deltatable(f"s3://{s.bucket}/gold/tls", options):
        write_deltalake(f"s3://{s.bucket}/gold/tls", pa.table({"a": [1]}), storage_options=options)


def arrow(s: Settings) -> None:
    own = {"region": s.s3_region, "endpoint_override": s.s3_endpoint, "tls_ca_file_path": trust.of_the_store(s)}
    once, key = fs.AwsStandardS3RetryStrategy(max_attempts=1), s.s3_secret_key.get_secret_value()
    store = fs.S3FileSystem(access_key=s.s3_access_key, secret_key=key, retry_strategy=once, **own)
    assert store.get_file_info(s.bucket).type is fs.FileType.Directory


def libpq(s: Settings) -> None:
    with Lease("tls"):
        pass


def airflow(s: Settings) -> None:
    with create_engine(database.url(s)).connect() as own:
        assert own.execute(text("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()")).scalar()


def airflow_asynchronous(s: Settings) -> None:
    async def asked() -> Any:
        own = await asyncpg.connect(database.url(s, "asyncpg").replace("+asyncpg", ""), **database.ASYNC)
        try:
            return await own.fetchval("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()")
        finally:
            await own.close()

    assert asyncio.run(asked())


CLIENTS: dict[str, Callable[[Settings], None]] = {
    "minio": minio,
    "delta-rs": delta_rs,
    "arrow": arrow,
    "libpq": libpq,
    "airflow": airflow,
    "airflow's asynchronous": airflow_asynchronous,
}


def asked_kafka(s: Settings, more: dict[str, str]) -> list[KafkaError]:
    """What librdkafka says against the broker; nothing if it answers."""
    said: list[KafkaError] = []
    client = AdminClient(
        {
            **login.of_librdkafka(s),
            "bootstrap.servers": s.kafka_bootstrap,
            "log_level": 0,
            "error_cb": said.append,
            **more,
        }
    )
    give_up = time.monotonic() + SECONDS
    while not said and time.monotonic() < give_up:
        client.poll(0.1)
        try:
            return [] if client.list_topics(timeout=0.5).brokers else said
        except KafkaException:
            client.poll(0.1)
    return said


class Java:
    """The clients of a JVM, told what our programs tell theirs."""

    def __init__(self, spark: SparkSession, s: Settings) -> None:
        self.gateway: Any = spark.sparkContext._gateway
        self.jvm, self.s = self.gateway.jvm, s
        for flag in trusting(s):
            name, _, value = flag.removeprefix("-D").partition("=")
            self.jvm.java.lang.System.setProperty(name, value)
        if not DRIVER:
            (jar,) = (ROOT / ".daybreak" / "jars" / "connect").glob("postgresql-*.jar")
            urls = self.gateway.new_array(self.jvm.java.net.URL, 1)
            urls[0] = self.jvm.java.net.URL(jar.as_uri())
            found = self.jvm.java.net.URLClassLoader(urls).loadClass("org.postgresql.Driver")
            DRIVER.append(found.getDeclaredConstructor(None).newInstance(None))

    def forget(self) -> None:
        """Of other tests' JVM."""
        for flag in trusting(self.s):
            self.jvm.java.lang.System.clearProperty(flag.removeprefix("-D").partition("=")[0])

    def kafka(self, options: dict[str, str], port: int = 0) -> None:
        """As Spark's source and Kafka Connect are told; `port`: another one."""
        own = self.jvm.java.util.Properties()
        where = f"127.0.0.1:{port}" if port else self.s.kafka_bootstrap
        times = {"request.timeout.ms": "5000", "default.api.timeout.ms": "5000"}
        for name, value in (options | times | {"bootstrap.servers": where}).items():
            own.setProperty(name, value)
        client = self.jvm.org.apache.kafka.clients.admin.Admin.create(own)
        try:
            client.describeCluster().nodes().get()
        finally:
            client.close()

    def s3a(self) -> None:
        """As each Spark session is told."""
        conf = self.jvm.org.apache.hadoop.conf.Configuration()
        once = {f"spark.hadoop.fs.s3a.{name}": "0" for name in ("attempts.maximum", "retry.limit")}
        for name, value in (spark_defaults(self.s, StoreUser.ROOT) | once).items():
            if name.startswith("spark.hadoop."):
                conf.set(name.removeprefix("spark.hadoop."), value)
        files = self.jvm.org.apache.hadoop.fs.FileSystem.newInstance(self.jvm.java.net.URI(self.s.lake), conf)
        try:
            files.listStatus(self.jvm.org.apache.hadoop.fs.Path(f"{self.s.lake}/"))
        finally:
            files.close()

    def debezium(self) -> None:
        """By the driver that it brings, told what the connector tells it."""
        told, own = connector.source(self.s), self.jvm.java.util.Properties()
        login_ = {"user": told["database.user"], "password": password(self.s, Role.CAPTURE)}
        for name, value in (login_ | {name: told[f"database.{name}"] for name in ("sslmode", "sslrootcert")}).items():
            own.setProperty(name, value)
        at = f"jdbc:postgresql://{told['database.hostname']}:{told['database.port']}/{told['database.dbname']}"
        DRIVER[0].connect(at, own).close()


def of_source(s: Settings) -> dict[str, str]:
    """Of Spark's options for its source those that are Kafka's."""
    return {
        name.removeprefix("kafka."): value
        for name, value in spark_options(s, ["orders"]).items()
        if name.startswith(("kafka.security", "kafka.sasl", "kafka.ssl"))
    }

"""With TLS on, broker, store and Postgres speak nothing else, and each client of ours takes their right certificate only.

Data flow: running services, clients as our programs make them -> an answer, or the client's own refusal
Run: pytest tests/infra/test_tls_services.py
"""

import asyncio
import re
import socket
import time
from collections.abc import Callable, Iterator
from typing import Any

import asyncpg
import psycopg
import pyarrow as pa
import pytest
from confluent_kafka import KafkaError
from confluent_kafka.admin import AdminClient
from deltalake import DeltaTable, write_deltalake
from psycopg.conninfo import make_conninfo
from py4j.protocol import Py4JJavaError
from pyarrow import fs
from pyspark.sql import SparkSession
from sqlalchemy import create_engine, text
from tls_services import EXPIRED, FOREIGN, GOOD, OTHER_HOST, WRONG, Services, running

from infra.airflow import database
from infra.class_archive import trusting
from infra.kafka import login
from infra.kafka.spark_source import spark_options
from infra.lake import reader, s3
from infra.lake.lease import Lease
from infra.postgres_login import conninfo, password
from infra.postgres_roles import Role
from infra.services import connect
from infra.settings import ROOT, Settings
from infra.shop.db import connector
from infra.spark_conf import spark_defaults
from infra.store_users import User as StoreUser
from infra.tls import trust

pytestmark = pytest.mark.slow
SECONDS = 10


@pytest.fixture(scope="module")
def services() -> Iterator[Services]:
    with running({}) as own:
        yield own


@pytest.fixture(autouse=True)
def home(services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DAYBREAK_HOME", str(services.settings.home))


@pytest.fixture
def s(services: Services) -> Settings:
    services.show(GOOD)
    return services.settings


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
SAYS = {
    OTHER_HOST: "mismatch|not valid for|does not match|doesn't match|no alternative certificate|No subject alternative|PSQL",
    EXPIRED: "expired|verify failed|validity check failed",
    FOREIGN: "unable to get|UnknownIssuer|verify failed|PKIX|unable to find",
}


@pytest.mark.parametrize("client", CLIENTS)
def test_a_client_takes_the_right_certificate(s: Settings, client: str) -> None:
    CLIENTS[client](s)


@pytest.mark.parametrize("kind", WRONG)
def test_clients_refuse_a_certificate_of_another_host_time_or_authority(services: Services, kind: str) -> None:
    services.show(kind)
    for name, client in CLIENTS.items():
        with pytest.raises(Exception, match=SAYS[kind]) as refused:
            client(services.settings)
        assert not isinstance(refused.value, AssertionError), name


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
        except Exception:
            client.poll(0.1)
    return said


def test_librdkafka_takes_the_brokers_certificate(s: Settings) -> None:
    assert asked_kafka(s, {}) == []


@pytest.mark.parametrize("kind", WRONG)
def test_librdkafka_refuses_a_wrong_certificate(services: Services, kind: str) -> None:
    at = {"bootstrap.servers": f"127.0.0.1:{services.broker_ports[kind]}", "security.protocol": "SSL"}
    said = asked_kafka(services.settings, at)
    # Then it says that there is no broker left.
    assert said[0].code() == KafkaError._SSL, said
    assert "verify failed" in said[0].str()


def plain(port: int, words: bytes) -> bytes:
    """What a port answers to who speaks no TLS."""
    with socket.create_connection(("127.0.0.1", port), SECONDS) as wire:
        wire.settimeout(SECONDS)
        wire.sendall(words)
        try:
            return wire.recv(4096)
        except OSError:
            return b""


def test_who_speaks_no_tls_is_not_heard(s: Settings) -> None:
    # Kafka's ApiVersions, version 0.
    question = b"\x00\x00\x00\x0d\x00\x12\x00\x00\x00\x00\x00\x01\x00\x03abc"
    for port in (s.kafka_port, s.kafka_controller_port):
        assert question[8:12] not in plain(port, question)
    assert b"200 OK" not in plain(s.s3_port, b"GET /health HTTP/1.0\r\n\r\n")
    with pytest.raises(psycopg.OperationalError, match=r"no pg_hba\.conf entry .* no encryption"):
        psycopg.connect(make_conninfo(conninfo(s, Role.LEASE, "daybreak"), sslmode="disable"))


class Java:
    """The clients of a JVM, told what our programs tell theirs."""

    def __init__(self, spark: SparkSession, s: Settings) -> None:
        self.gateway: Any = spark.sparkContext._gateway
        self.jvm, self.s = self.gateway.jvm, s
        for flag in trusting(s):
            name, _, value = flag.removeprefix("-D").partition("=")
            self.jvm.java.lang.System.setProperty(name, value)
        (jar,) = (ROOT / ".daybreak" / "jars" / "connect").glob("postgresql-*.jar")
        urls = self.gateway.new_array(self.jvm.java.net.URL, 1)
        urls[0] = self.jvm.java.net.URL(jar.as_uri())
        driver = self.jvm.java.net.URLClassLoader(urls).loadClass("org.postgresql.Driver")
        # Py4J keeps methods by the name of their class, so it must be one class.
        self.driver = driver.getDeclaredConstructor(None).newInstance(None)

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
        self.driver.connect(at, own).close()


@pytest.fixture(scope="module")
def java(spark: SparkSession, services: Services) -> Iterator[Java]:
    own = Java(spark, services.settings)
    yield own
    for flag in trusting(services.settings):
        own.jvm.java.lang.System.clearProperty(flag.removeprefix("-D").partition("=")[0])


def of_source(s: Settings) -> dict[str, str]:
    """Of Spark's options for its source those that are Kafka's."""
    return {
        name.removeprefix("kafka."): value
        for name, value in spark_options(s, ["orders"]).items()
        if name.startswith(("kafka.security", "kafka.sasl", "kafka.ssl"))
    }


def test_a_jvms_clients_take_the_right_certificates(java: Java, s: Settings) -> None:
    java.kafka(of_source(s))
    java.kafka({name: value for name, value in connect.properties(s).items() if name in login.of_java(s)})
    java.s3a()
    java.debezium()


@pytest.mark.parametrize("kind", WRONG)
def test_a_jvms_clients_refuse_wrong_certificates(java: Java, services: Services, kind: str) -> None:
    services.show(kind)
    tries: tuple[Callable[[], None], ...] = (
        java.s3a,
        java.debezium,
        lambda: java.kafka(of_source(services.settings) | {"security.protocol": "SSL"}, services.broker_ports[kind]),
    )
    for client in tries:
        with pytest.raises(Py4JJavaError) as refused:
            client()
        said = str(refused.value.java_exception.toString()) + str(refused.value)
        assert re.search(SAYS[kind], said), said[:3000]

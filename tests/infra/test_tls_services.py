"""With TLS on, broker, store and Postgres speak nothing else, and each client of ours takes their right certificate only.

Data flow: running services, clients as our programs make them -> an answer, or the client's own refusal
Run: pytest tests/infra/test_tls_services.py
"""

import re
import socket
from collections.abc import Callable, Iterator

import psycopg
import pytest
from confluent_kafka import KafkaError
from psycopg.conninfo import make_conninfo
from py4j.protocol import Py4JJavaError
from pyspark.sql import SparkSession
from tls_reached import CLIENTS, SECONDS, Java, asked_kafka, of_source
from tls_services import EXPIRED, FOREIGN, GOOD, OTHER_HOST, WRONG, Services, running

from infra.kafka import login
from infra.postgres_login import conninfo
from infra.postgres_roles import Role
from infra.settings import Settings
from infra.shop.services import connect

pytestmark = pytest.mark.slow


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


SAYS = {
    OTHER_HOST: "mismatch|not valid for|does not match|doesn't match|no alternative certificate|matching IP address"
    "|could not be verified",
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


def test_librdkafka_takes_the_brokers_certificate(s: Settings) -> None:
    assert asked_kafka(s, {}) == []


@pytest.mark.parametrize("kind", WRONG)
def test_librdkafka_refuses_a_wrong_certificate(services: Services, kind: str) -> None:
    at = {"bootstrap.servers": f"127.0.0.1:{services.broker_ports[kind]}", "security.protocol": "SSL"}
    said = asked_kafka(services.settings, at)
    # It calls what the other side ends at that moment a failure of the transport. Then it says that there is no broker left.
    assert said[0].code() in (KafkaError._SSL, KafkaError._TRANSPORT), said
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


@pytest.fixture(scope="module")
def java(spark: SparkSession, services: Services) -> Iterator[Java]:
    own = Java(spark, services.settings)
    yield own
    own.forget()


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

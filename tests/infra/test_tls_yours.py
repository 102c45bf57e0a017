"""A team's certificate, for a name and below a CA that is not the root: every client takes it from every service.

Data flow: three files of a team -> running services -> answers
Run: pytest -m soak tests/infra/test_tls_yours.py
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from certificates import team
from pyspark.sql import SparkSession
from tls_reached import CLIENTS, Java, asked_kafka, of_source
from tls_services import Services, running

pytestmark = pytest.mark.soak


@pytest.fixture(scope="module")
def services(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Services]:
    _, ca, certificate, key = team(tmp_path_factory.mktemp("team"), "localhost")
    files = {"TLS_CA": ca, "TLS_CERTIFICATE": certificate, "TLS_KEY": key}
    with running({"TLS_HOST": "localhost", **files}) as own:
        yield own


def test_every_client_takes_the_certificate_of_a_team(
    services: Services, spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    s = services.settings
    assert {address.rpartition(":")[0] for address in (s.kafka_bootstrap, s.s3_endpoint)} == {
        "localhost",
        "https://localhost",
    }
    monkeypatch.setenv("DAYBREAK_HOME", str(s.home))
    for client in CLIENTS.values():
        client(s)
    assert asked_kafka(s, {}) == []
    java = Java(spark, s)
    try:
        java.kafka(of_source(s))
        java.s3a()
        java.debezium()
    finally:
        java.forget()
    assert not (Path(s.home) / "tls" / "ca.key").exists()

"""Jars: which ones ivy.xml asks for, and which are the same artifact."""

import pytest

from infra.setup import jars


@pytest.mark.parametrize(
    ("jar", "name"),
    [
        ("netty-common-4.1.126.Final.jar", "netty-common"),
        ("kafka-clients-3.9.2.jar", "kafka-clients"),
        ("spark-sql-kafka-0-10_2.13-4.2.0.jar", "spark-sql-kafka-0-10_2.13"),
        ("delta-spark_4.2_2.13-4.4.0.jar", "delta-spark_4.2_2.13"),
        ("log4j-1.2-api-2.25.3.jar", "log4j-1.2-api"),
        ("s3-2.35.4.jar", "s3"),
        ("wildfly-openssl-2.2.5.Final.jar", "wildfly-openssl"),
    ],
)
def test_an_artifact_is_a_jar_without_its_version(jar: str, name: str) -> None:
    assert jars.artifact(jar) == name


def test_ivy_names_the_broker_and_the_connectors() -> None:
    assert "kafka_2.13-4.3.1.jar" in jars.wanted("kafka")
    assert {"delta-spark_4.2_2.13-4.4.0.jar", "hadoop-aws-3.5.0.jar"} <= set(jars.wanted("spark"))


def test_nothing_that_pyspark_brings_lies_beside_it() -> None:
    there = {jars.artifact(jar.name) for jar in jars.pyspark_jars().glob("*.jar")}
    assert not [jar.name for jar in (jars.JARS / "spark").glob("*.jar") if jars.artifact(jar.name) in there]

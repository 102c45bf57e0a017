"""Options of Spark's Kafka source: what we set, and what a user may set in its place."""

from infra.kafka.spark_source import spark_options
from infra.settings import Settings


def test_the_source_reads_all_topics_and_misses_no_record() -> None:
    found = spark_options(Settings(kafka_bootstrap="broker:9092"), ["orders", "clicks"])
    assert found["kafka.bootstrap.servers"] == "broker:9092"
    assert found["subscribe"] == "orders,clicks"
    assert found["failOnDataLoss"] == found["includeHeaders"] == "true"
    assert found["kafka.isolation.level"] == "read_committed"


def test_a_users_setting_counts_but_cannot_hide_a_loss() -> None:
    own = {"kafka.fetch.max.wait.ms": "70", "kafka.security.protocol": "SSL", "failOnDataLoss": "false"}
    found = spark_options(Settings(kafka_spark=own), ["orders"])
    assert found["kafka.fetch.max.wait.ms"] == "70"
    assert found["kafka.security.protocol"] == "SSL"
    assert found["failOnDataLoss"] == "true"

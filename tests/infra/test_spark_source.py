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


def test_a_leader_that_dies_holds_a_replicated_log_up_for_seconds() -> None:
    found = spark_options(Settings(kafka_brokers=3), ["orders"])
    assert found["kafka.default.api.timeout.ms"] == found["kafka.request.timeout.ms"] == "20000"
    assert "kafka.default.api.timeout.ms" not in spark_options(Settings(), ["orders"])

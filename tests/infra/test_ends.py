"""The log ends where it ends, whoever may read it."""

from types import SimpleNamespace

from confluent_kafka import IsolationLevel, Producer

from infra.kafka import client
from infra.kafka.ends import Open, ends, open_transactions


def test_ends_of_many_partitions_are_asked_at_once(kafka: SimpleNamespace) -> None:
    producer = Producer({"bootstrap.servers": kafka.kafka_bootstrap})
    for number in range(3):
        producer.produce("orders", b"x", partition=number)
    producer.produce("orders", b"y", partition=1)
    producer.flush(20)
    admin = client.admin()
    places = [("orders", number) for number in range(3)]
    assert ends(admin, places, IsolationLevel.READ_UNCOMMITTED) == {places[0]: 1, places[1]: 2, places[2]: 1}
    assert open_transactions(admin, places) == {}
    assert open_transactions(admin, []) == {}
    assert Open(3, 10).size == 7

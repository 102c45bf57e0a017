"""Which programs run: the embedded ones, and only those."""

import pytest

from infra.failures import PermanentFailure
from infra.services.kafka import BROKERS
from infra.services.program import Name
from infra.services.roster import choose, roster
from infra.settings import Settings, load

OPTIONAL = {
    Name.CONNECT,
    Name.CACHE,
    Name.FOLLOWER_INDEX,
    Name.FOLLOWER_CACHE,
    Name.FOLLOWER_ORDERS,
    Name.ORDER_SERVICE,
    Name.WEBHOOKS,
    Name.NOTIFY,
    Name.QUEUE,
    *BROKERS,
}


def test_with_no_settings_every_program_but_the_options_is_ours(s: Settings) -> None:
    assert list(roster(s)) == [name for name in Name if name not in OPTIONAL]


def test_an_option_adds_its_program(s: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DAYBREAK_OPTIONS", "shop-db,order-service,webhooks,notify,queue")
    assert list(roster(load())) == [name for name in Name if name not in BROKERS]


@pytest.mark.parametrize("option", ["shop-db", "order-service"])
def test_rows_of_orders_have_a_follower_with_both_options_only(
    s: Settings, monkeypatch: pytest.MonkeyPatch, option: str
) -> None:
    monkeypatch.setenv("DAYBREAK_OPTIONS", option)
    assert Name.FOLLOWER_ORDERS not in roster(load())


@pytest.mark.parametrize(
    ("setting", "value", "yours"),
    [
        ("KAFKA_BOOTSTRAP", "127.0.0.1:1", {Name.KAFKA}),
        ("S3_ENDPOINT", "http://127.0.0.1:1", {Name.STORE}),
        ("POSTGRES_DSN", "host=127.0.0.1 user=me", {Name.POSTGRES}),
        ("GATEWAY_HOST", "127.0.0.2", {Name.GATEWAY}),
        ("AIRFLOW_URL", "http://127.0.0.1:1", {name for name in Name if name.startswith("airflow")}),
    ],
)
def test_a_named_endpoint_is_yours(
    setting: str, value: str, yours: set[Name], s: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(f"DAYBREAK_{setting}", value)
    assert set(Name) - set(roster(load())) == yours | OPTIONAL


def test_a_cache_of_your_own_is_not_started(s: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DAYBREAK_OPTIONS", "shop-db,order-service,webhooks,notify,queue")
    monkeypatch.setenv("DAYBREAK_CACHE_URL", "rediss://me@cache.example:6379/0")
    assert set(Name) - set(roster(load())) == {Name.CACHE, *BROKERS}


@pytest.mark.parametrize("brokers", ["1", "3"])
def test_every_need_is_a_program_that_starts_earlier(
    s: Settings, monkeypatch: pytest.MonkeyPatch, brokers: str
) -> None:
    order = list(Name)
    monkeypatch.setenv("DAYBREAK_OPTIONS", "shop-db,order-service,webhooks,notify,queue")
    monkeypatch.setenv("DAYBREAK_KAFKA_BROKERS", brokers)
    for program in roster(load()).values():
        assert all(order.index(need) < order.index(program.name) for need in program.needs)


def test_no_two_programs_share_a_port(s: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DAYBREAK_OPTIONS", "shop-db,order-service,webhooks,notify,queue")
    monkeypatch.setenv("DAYBREAK_KAFKA_BROKERS", "3")
    ports = [port for program in roster(load()).values() for port in program.ports.values()]
    assert len(ports) == len(set(ports))


def test_a_wrong_name_is_refused_with_the_right_ones(s: Settings) -> None:
    with pytest.raises(PermanentFailure, match="'kafak' is not a program of this platform: kafka, store"):
        choose(roster(s), "store,kafak")


def test_a_part_keeps_the_order_of_the_whole(s: Settings) -> None:
    assert list(choose(roster(s), "gateway, kafka")) == [Name.KAFKA, Name.GATEWAY]


def test_a_stream_goes_on_when_webhooks_are_turned_on(s: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    before = roster(load())[Name.STREAM]
    monkeypatch.setenv("DAYBREAK_OPTIONS", "webhooks")
    assert roster(load())[Name.STREAM].env == before.env
    monkeypatch.setenv("DAYBREAK_OPTIONS", "order-service,webhooks")
    assert roster(load())[Name.STREAM].env != before.env


def test_three_brokers_are_named_at_once_or_one_by_one(s: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DAYBREAK_KAFKA_BROKERS", "3")
    every = roster(load())
    assert Name.KAFKA not in every
    assert list(choose(every, "store,kafka")) == [*BROKERS, Name.STORE]
    assert list(choose(every, "kafka-2")) == [Name.KAFKA_2]
    assert set(every[Name.STREAM].needs) == {*BROKERS, Name.STORE, Name.POSTGRES}


def test_of_one_broker_none_has_a_number(s: Settings) -> None:
    with pytest.raises(PermanentFailure, match="'kafka-1' is not a program"):
        choose(roster(s), "kafka-1")
    assert set(roster(s)[Name.STREAM].needs) == {Name.KAFKA, Name.STORE, Name.POSTGRES}

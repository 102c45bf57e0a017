"""What the lab of overload says of its figures, which promises it holds to whom, and its curves."""

from dataclasses import replace

import pytest
from overload_outcomes import ALL_WELL, ORDERS, case, well

from infra.lab.overload import table
from infra.lab.overload.brokers import NONE
from infra.lab.overload.cases import CASES
from infra.lab.overload.curves import curves
from infra.lab.overload.measure import Outcome


def with_other(name: str, **changed: int) -> list[Outcome]:
    return [replace(one, **changed) if one.case.name == name else one for one in ALL_WELL]


def test_it_says_what_each_policy_did_with_the_difference() -> None:
    assert table.shows(ALL_WELL, 1.0) == (
        "Of 20 orders, made in 1 s, those who drop lost 15 (UDP unicast), 15 (UDP, repeated on request) and 15 (ZeroMQ "
        "PUB/SUB), and what came was at most 2.0 s old; a full queue refused 14; a queue without a limit ended its process "
        "after 5.0 s, with 10 orders in it; who waits loses none, but sending takes 1.0 s (TCP socket) and 1.0 s (ZeroMQ "
        "PUSH/PULL); queue broker and Kafka took all in 1.0 s, lost none, and had up to 15 and 15 orders waiting."
    )
    without_queue = [one for one in ALL_WELL if one.case.name != "queue broker"]
    assert "; Kafka took all in 1.0 s, lost none, and had up to 15 orders waiting." in table.shows(without_queue, 1.0)
    assert table.broken(ALL_WELL) == []


KEEP = {"webhook, queue with a limit", "TCP socket", "ZeroMQ PUSH/PULL", "queue broker", "Kafka"}


@pytest.mark.parametrize("name", [one.name for one in CASES])
def test_what_keeps_orders_may_lose_none_of_them(name: str) -> None:
    wrong = table.broken(with_other(name, lost=3))
    assert wrong == ([f"{name} lost 3 orders that it had taken"] if name in KEEP else [])


@pytest.mark.parametrize("name", [one.name for one in CASES])
def test_only_a_queue_in_memory_may_refuse_an_order(name: str) -> None:
    wrong = table.broken(with_other(name, taken=ORDERS - 1))
    must = name in KEEP and name != "webhook, queue with a limit"
    assert wrong == ([f"{name} did not take 1 orders, and was to take all"] if must else [])


def test_a_row_has_what_was_added_to_each_process_and_the_disk() -> None:
    (row,) = table.rows([well(case("Kafka"))])
    assert row == {
        "policy": "log",
        "transport": "Kafka",
        "orders": 20,
        "lost": 0,
        "not taken": 0,
        "waiting, at most": 15,
        "delay, at most (s)": "2.0",
        "sending (s)": "1.0",
        "producer (MB)": "0.0",
        "consumer (MB)": "0.0",
        "sockets (MB)": "-",
        "broker (MB)": "1.0",
        "disk (MB)": "8.0",
        "when its buffer is full": case("Kafka").when_full,
    }


def test_a_broker_elsewhere_has_no_sizes() -> None:
    (row,) = table.rows([replace(well(case("Kafka")), broker=NONE)])
    assert (row["broker (MB)"], row["disk (MB)"]) == ("-", "-")


def test_a_queue_that_was_not_full_does_not_say_what_fills_it() -> None:
    (row,) = table.rows([replace(well(case("webhook, queue without a limit")), died=False)])
    assert row["when its buffer is full"] == "It was not: fewer waited than its memory holds."


def test_what_is_made_when_the_producer_is_dead_is_not_taken() -> None:
    (endless,) = curves([well(case("webhook, queue without a limit"))], rate=10.0)
    assert endless.seconds == [0.0, 1.0, 5.0]
    assert endless.values["made"] == [0, 10, 20]
    assert endless.values["not taken"] == [0, 0, 5]
    assert endless.values["lost"] == [0, 0, 10]
    assert endless.values["producer (MB)"] == [0.0, 7.0, 0.0]
    assert "broker (MB)" not in endless.values

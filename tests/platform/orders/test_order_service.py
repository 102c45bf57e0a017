"""The order service on a real broker: one answer to each command, one writer of orders, whatever dies."""

import json
import re
from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

import pytest
from order_kills import Load, killed
from running import Platform, until

from infra.kafka.read_committed import committed
from infra.services.program import Name
from infra.shop.orders.order import ORDERS
from infra.shop.orders.restore import fields, number_of

pytestmark = pytest.mark.platform

DEATHS = 100


def ordered(platform: Platform, *arguments: str, check: bool = True) -> str:
    """What `daybreak order` says."""
    done = platform.run("daybreak", "order", *arguments, check=check)
    return done.stdout + done.stderr


def checked(platform: Platform) -> dict[str, int]:
    """The service's own check, which passes."""
    return dict(json.loads(ordered(platform, "check", "--json")))


def test_an_accepted_command_is_an_event_and_a_rejected_one_is_none(platform: Platform) -> None:
    order = f"o-{uuid4().hex[:16]}"
    mine = ("--customer", "c-70", "--order", order)
    ordered(platform, "place", *mine, "--item", "p-70:2:500")
    ordered(platform, "add", *mine, "--item", "p-71:1:250")
    assert "not_paid" in ordered(platform, "ship", *mine, check=False)
    ordered(platform, "pay", *mine, "--cents", "1250", "--payment", "pay-00000070")
    ordered(platform, "ship", *mine)
    ordered(platform, "refund", *mine, "--payment", "pay-00000070", "--cents", "1250")
    assert "is_shipped" in ordered(platform, "cancel", *mine, check=False)
    assert platform.status("stream")["notices"] == []
    platform.send([("commands", b"c-70", b"{no command", "none", "malformed")] * 3)
    platform.wait_drained()
    (said,) = until("the stream says so", lambda: platform.status("stream")["notices"])
    assert re.match(r"commands: 3 of \d+ records of .* are in quarantine \(not_json 3\): daybreak query ", said)
    assert f"\n{said}\n" in platform.run("daybreak", "status").stdout
    said = platform.run("daybreak", "state", "--order", order).stdout
    assert "refunded, 0.00 of 12.50 paid" in said
    events = [line.split()[4] for line in said.splitlines() if line.startswith(" 2")]
    assert events == ["order_placed", "items_added", "payment_captured", "order_shipped", "payment_refunded"]
    rejected = [
        row["reasons"] for row in platform.rows("silver/quarantine", "topic", "reasons") if row["topic"] == "commands"
    ]
    assert rejected == [["not_json"]] * 3
    assert checked(platform)["rejected"] == 5


def test_two_clients_who_buy_the_last_piece_at_once_get_one(platform: Platform) -> None:
    ordered(platform, "receive", "--item", "p-99:1:0")
    with ThreadPoolExecutor() as both:
        said = list(
            both.map(
                lambda customer: ordered(
                    platform, "place", "--customer", customer, "--item", "p-99:1:100", check=False
                ),
                ("c-81", "c-82"),
            )
        )
    assert sorted("out_of_stock" in one for one in said) == [False, True], said


def test_a_second_instance_takes_over_and_the_first_says_so_awake(platform: Platform) -> None:
    with platform.paused("order-service"):
        second = platform.begin("infra.shop.orders")
        ordered(platform, "place", "--customer", "c-83", "--item", "p-1:1:1")
    with second:
        until("the first instance has ended", lambda: platform.status("order-service")["condition"] == "failed", 60)
        said = str(platform.status("order-service"))
        assert f"another instance of the order service has started (process {second.pid})" in said
        ordered(platform, "place", "--customer", "c-83", "--item", "p-1:1:1")
        second.terminate()
    platform.supervisor().begin(Name.ORDER_SERVICE)
    platform.wait_healthy("order-service")
    checked(platform)


def test_a_hundred_deaths_leave_one_answer_to_each_command(platform: Platform) -> None:
    before = checked(platform)
    platform.supervisor().stop(Name.ORDER_SERVICE, wait=True)
    with Load(seed=1) as load:
        killed(DEATHS, seed=1)
    platform.supervisor().begin(Name.ORDER_SERVICE)
    platform.wait_healthy("order-service")
    until("all is answered", lambda: "0 not answered" in ordered(platform, "check", check=False), 120)
    found = checked(platform)
    assert found["commands"] == before["commands"] + load.sent
    assert found["accepted"] - before["accepted"] > load.sent / 10
    numbers = [number for one in committed(ORDERS) if (number := number_of(one)) is not None]
    assert len(numbers) == len(set(numbers))
    ids = [fields(one)["event_id"] for one in committed(ORDERS) if number_of(one) is not None]
    assert len(ids) == len(set(ids))


def test_the_service_starts_anew_from_the_log_alone(platform: Platform) -> None:
    before = checked(platform)
    assert "from the whole log" in ordered(platform, "start-anew")
    platform.wait_healthy("order-service")
    assert checked(platform) == before

"""The CQRS lab's table: what it shows of an order's forms, and that it tells when two of them differ."""

from dataclasses import replace

from batch.shop.order_forms import FOLDED, WRITTEN, Form
from batch.shop.order_forms_table import broken, rows, shows

EVENTS = Form(WRITTEN, "Kafka's log", "what happened", 3, 900, 210.4, None, "nothing")
REPLAY = Form(FOLDED, "silver", "its state at any time", 3, 1200, 40.0, "paid", "rebuild")
ROW = Form("a row", "Postgres", "how does it stand now?", 1, 200, 1.25, "paid", "backups")
FACT = Form("a fact", "gold", "was it paid in time?", 1, 300, 55.0, None, "night")


def test_the_table_has_a_row_per_form() -> None:
    found = rows([EVENTS, REPLAY, ROW])
    assert [row["says"] for row in found] == ["-", "paid", "paid"]
    assert (found[2]["found in"], found[0]["bytes"]) == ("1.2 ms", 900)


def test_the_sentence_has_the_fastest_and_the_slowest_read_form() -> None:
    said = shows("o-1", [EVENTS, REPLAY, ROW, FACT])
    assert "3 events of 900 bytes; they are found in 210 ms" in said
    assert "2 read forms" in said
    assert "from 1.2 ms (Postgres) to 55 ms (gold)" in said
    assert said.endswith("say paid.")
    assert "no read form yet" in shows("o-1", [EVENTS, REPLAY])


def test_forms_that_say_different_things_are_told() -> None:
    assert broken([EVENTS, REPLAY, ROW, FACT]) == []
    assert broken([REPLAY, replace(ROW, status="placed")]) == [
        "the forms differ: events, folded says paid, a row says placed"
    ]

"""How to ask for a row: by every name of its view, with its key in every form; and what a wrong one is told."""

import shlex
from datetime import date, timedelta
from pathlib import Path

import pytest
from explained import DAY, MINUTE_KEY, NOON, fill, row, tables
from typer.testing import CliRunner

from batch.commands.explain import commands
from batch.explain.key import as_json, command, parsed
from batch.explain.known import known
from batch.explain.names import Asked, asked
from infra.failures import PermanentFailure
from streaming.shop.views.order_payments import ORDER_PAYMENTS
from streaming.shop.views.order_totals import ORDER_TOTALS
from streaming.tables.speed import speed_table
from streaming.views import VIEWS


def test_a_key_may_be_written_in_three_ways() -> None:
    wanted = {"window_start": NOON}
    for words in (
        ["2026-01-31 12:00"],
        ["2026-01-31", "12:00:00"],
        ["window_start=2026-01-31T13:00+01:00"],
        [MINUTE_KEY],
    ):
        assert parsed(ORDER_TOTALS, words) == wanted
    pair = {"session_id": "s=1 o'clock", "started_at": NOON, "product_id": "p-1", "partner_id": "p-2"}
    line = shlex.split(command(VIEWS["viewed_together"], pair, DAY))
    assert line[:3] == ["daybreak", "explain", "viewed_together"]
    assert parsed(VIEWS["viewed_together"], line[3:-2]) == pair
    assert line[-2:] == ["--day", str(DAY)]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["noon"], "'noon' is no timestamp for window_start: its key is window_start .timestamp."),
        (["1", "2"], "'1 2' is no key of order_totals: its key is window_start .timestamp."),
        (['{"window":1}'], "order_totals has no column window"),
        (["{window}"], "is no JSON object"),
        (["2026-01-31 12:07"], "near it there are daybreak explain order_totals '2026-01-31 12:00'"),
        ([], "which row of order_totals. its key is"),
    ],
    ids=["no time", "too many", "no column", "no json", "no row", "no key"],
)
def test_a_wrong_key_is_told_what_keys_look_like(settled: None, words: list[str], said: str) -> None:
    ended = CliRunner().invoke(commands, ["order_totals", *words])
    with pytest.raises(PermanentFailure, match=said):
        raise ended.exception or AssertionError(ended.output)


def test_a_key_of_several_days_asks_for_the_day(local_lake: Path) -> None:
    before = {"order_id": "o-1", "ordered_at": NOON - timedelta(days=1), "day": DAY - timedelta(days=1)}
    own = {table.id: rows for table, rows in tables()}[speed_table(ORDER_PAYMENTS).id]
    fill([(speed_table(ORDER_PAYMENTS), [*own, own[0] | before])])
    with pytest.raises(PermanentFailure, match=r"2026-01-30, 2026-01-31: choose one: .* o-1 --day 2026-01-31"):
        row("order_payments", "o-1")
    assert known(Asked(ORDER_PAYMENTS), {"order_id": "o-1"}, before["day"]).key.day == date(2026, 1, 30)


@pytest.mark.parametrize(
    ("name", "view"),
    [
        ("order_totals", "order_totals"),
        ("gold.fct_order_totals", "order_totals"),
        ("gold.fct_order_totals_history", "order_totals"),
        ("staging.stg_truth__shop_visits", "shop_visits"),
        ("speed.fraud_alerts", "fraud_alerts"),
        ("gold.fct_orders", "order_payments"),
        ("gold.rpt_click_through", "click_through"),
    ],
)
def test_a_table_of_any_layer_names_its_view(name: str, view: str) -> None:
    assert asked(name).view.name == view


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("order_total", "the nearest names are order_totals"),
        ("gold.fct_ordertotals", "gold.fct_order_totals"),
        ("gold.fct_order_states", "made from no view"),
        ("gold.rpt_builds", "made from several views"),
    ],
)
def test_a_name_that_is_no_view_is_told_the_nearest(name: str, said: str) -> None:
    with pytest.raises(PermanentFailure, match=said):
        asked(name)


def test_a_model_that_adds_rows_up_says_which_rows(settled: None) -> None:
    with pytest.raises(PermanentFailure, match=r"many rows of order_totals: .* WHERE view = 'order_totals'"):
        row("gold.fct_daily_orders", "2026-01-31")


def test_the_key_as_json_is_that_of_the_ledger() -> None:
    assert as_json(ORDER_TOTALS, {"window_start": NOON.replace(microsecond=1500)}) == (
        '{"window_start":"2026-01-31T12:00:00.001Z"}'
    )
    odd = 'a"\\b\tc\x1f/é\u2028'
    assert as_json(ORDER_PAYMENTS, {"order_id": odd}) == '{"order_id":"a\\"\\\\b\\tc\\u001F/é\u2028"}'

"""The chart of the lab of overload: curves of one scale, said in words too, and nothing that is loaded."""

import re
from datetime import UTC, datetime

from overload_outcomes import ALL_WELL, case, well

from infra.lab.overload.cases import CASES
from infra.lab.overload.chart import chart
from infra.lab.overload.curves import curves
from infra.lab.result import Curves, Result


def drawn(found: list[Curves]) -> str:
    return chart(Result("overload", datetime(2026, 1, 31, tzinfo=UTC), [], "", "", [], found))


def test_each_case_has_a_plot_of_orders_of_delay_and_of_sizes() -> None:
    text = drawn(curves(ALL_WELL, 20.0))
    assert text.count("<figure") == len(CASES)
    assert text.count("<svg") == 3 * len(CASES)
    assert not re.search(r"src=|href=|url\(|<script", text)


def test_curves_of_all_cases_have_one_scale() -> None:
    text = drawn(curves([well(case("UDP unicast")), well(case("Kafka"))], 20.0))
    # 20 orders are the height, 5 s the width.
    assert '<polyline class="lost" points="0.0,90.0 60.0,22.5 300.0,22.5"/>' in text
    assert '<polyline class="disk" points="0.0,90.0 60.0,0.0 300.0,0.0"/>' in text
    assert text.count('<polyline class="disk"') == 1, "no line where there is no disk"
    assert "ends after 5 s" in text


def test_each_plot_says_its_figures_in_words() -> None:
    text = drawn(curves([well(case("webhook, queue without a limit"))], 20.0))
    assert "<span>5 processed, 5 not taken, 10 lost</span>" in text
    assert "<span>delay up to 2.0 s</span>" in text
    assert "<span>MB: producer +7.0</span>" in text


def test_a_result_without_curves_has_no_figure() -> None:
    assert "<figure" not in drawn([])

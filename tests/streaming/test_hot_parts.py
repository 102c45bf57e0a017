"""A key that has thousands of events is named for as long as it matters; a window that has them is no fault."""

import pyarrow as pa
from pyspark.sql.pandas.types import to_arrow_schema

from streaming.state import layout
from streaming.state.hot import FOR_SECONDS, MOST, Hot
from streaming.state.layout import HOT_KIND, Layout
from streaming.views import VIEWS

OWN = Layout([VIEWS["order_payments"], VIEWS["order_value_percentiles"]], 0)
PARTS, WINDOWS = range(2)


def told(*parts: tuple[int, str, int]) -> list[tuple[Layout, pa.Table]]:
    """Hot parts by kind, name and number of events, behind what a store tells of all others."""
    rows = [{"kind": PARTS, "part": "o-1", "views": 1, "wake": 0}, {"kind": -1, "part": "kept", "views": 9, "wake": 9}]
    rows += [{"kind": HOT_KIND - kind, "part": part, "views": events, "wake": None} for kind, part, events in parts]
    return [(OWN, pa.Table.from_pylist(rows, schema=to_arrow_schema(layout.TOLD)))]


def test_a_hot_key_is_named_for_ten_minutes() -> None:
    now = [0.0]
    hot = Hot(lambda: now[0])
    hot.saw(told((PARTS, "o-hot", 8_000)))
    (said,) = hot.notices()
    assert "order_id 'o-hot' is hot: it has 8,000 events" in said
    now[0] = FOR_SECONDS
    hot.saw(told())
    assert len(hot.notices()) == 1
    now[0] += 1
    hot.saw(told())
    assert hot.notices() == []


def test_of_a_thousand_hot_keys_the_largest_are_named() -> None:
    hot = Hot()
    hot.saw(told(*((PARTS, f"o-{number}", 3_000 + number) for number in range(1_000))))
    assert [one.split("'")[1] for one in hot.notices()] == [f"o-{999 - place}" for place in range(MOST)]


def test_a_window_may_wait_and_is_no_fault() -> None:
    hot = Hot()
    hot.saw(told((WINDOWS, "5000", layout.LARGE)))
    assert hot.is_large
    assert hot.notices() == []
    hot.saw(told((PARTS, "o-hot", layout.LARGE - 1)))
    assert not hot.is_large

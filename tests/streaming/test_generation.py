"""What a stream that starts finds out about the state that it left."""

import pytest

from streaming.versions.generation import topics_gone

WRITTEN = {"events": "1", "events/orders": "2", "events/reviews": "3", "order_totals": "4", "old_view": "5"}


@pytest.mark.parametrize(
    ("now", "gone"),
    [
        ({"events": "9", "events/orders": "2", "order_totals": "4"}, ["reviews"]),
        ({"events": "9", "events/orders": "9", "events/reviews": "9", "events/new": "1"}, []),
        ({"events": "9"}, ["orders", "reviews"]),
    ],
)
def test_a_topic_without_a_contract_is_gone_and_a_view_is_not(now: dict[str, str], gone: list[str]) -> None:
    assert topics_gone(WRITTEN, now) == gone

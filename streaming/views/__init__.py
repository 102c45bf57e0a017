"""The views in force: one line per view.

Data flow: view files -> VIEWS
Run: pytest tests/streaming/test_views.py
"""

from streaming.views.order_payments import ORDER_PAYMENTS
from streaming.views.order_totals import ORDER_TOTALS
from streaming.views.view import View

VIEWS: dict[str, View] = {view.name: view for view in (ORDER_TOTALS, ORDER_PAYMENTS)}
"""Every view, by name; each exists in speed, truth, reconciliation and docs."""

REACH = max(view.reach for view in VIEWS.values())
"""How far past a day's end its views need events."""

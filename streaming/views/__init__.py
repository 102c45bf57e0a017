"""The views in force: one line per view.

Data flow: view files -> VIEWS
Run: pytest tests/streaming/test_views.py
"""

from infra.options import SHOP_DB_VIEWS
from infra.settings import settings
from streaming.contracts.shop_db import TABLES
from streaming.views.click_through import CLICK_THROUGH
from streaming.views.clicks_with_customer import CLICKS_WITH_CUSTOMER
from streaming.views.fraud_alerts import FRAUD_ALERTS
from streaming.views.open_orders_by_region import OPEN_ORDERS_BY_REGION
from streaming.views.order_payments import ORDER_PAYMENTS
from streaming.views.order_totals import ORDER_TOTALS
from streaming.views.order_value_percentiles import ORDER_VALUE_PERCENTILES
from streaming.views.orders_last_8_minutes import ORDERS_LAST_8_MINUTES
from streaming.views.payment_failures import PAYMENT_FAILURES
from streaming.views.payment_health import PAYMENT_HEALTH
from streaming.views.reading import reading
from streaming.views.rolling_order_rate import ROLLING_ORDER_RATE
from streaming.views.search_matches import SEARCH_MATCHES
from streaming.views.shop_visits import SHOP_VISITS
from streaming.views.view import View
from streaming.views.viewed_together import VIEWED_TOGETHER

VIEWS: dict[str, View] = {
    view.name: view
    for view in (
        ORDER_TOTALS,
        ORDER_PAYMENTS,
        ORDERS_LAST_8_MINUTES,
        PAYMENT_HEALTH,
        ROLLING_ORDER_RATE,
        ORDER_VALUE_PERCENTILES,
        PAYMENT_FAILURES,
        FRAUD_ALERTS,
        SHOP_VISITS,
        CLICK_THROUGH,
        VIEWED_TOGETHER,
        CLICKS_WITH_CUSTOMER,
        SEARCH_MATCHES,
        OPEN_ORDERS_BY_REGION,
    )
}
"""Every view, by name; each exists in speed, truth, reconciliation and docs."""

if settings().has(SHOP_DB_VIEWS):
    VIEWS |= {name: reading(view, TABLES) for name, view in VIEWS.items()}

REACH = max(view.reach for view in VIEWS.values())
"""How far past a day's end its views need events."""

LOOKBACK = max(view.lookback for view in VIEWS.values())
"""How far before a day's start its views need events."""

CHANGELOGS = tuple(sorted({topic for view in VIEWS.values() for topic in view.changelogs}))
"""The topics of which its views need the last event of a key, however old."""

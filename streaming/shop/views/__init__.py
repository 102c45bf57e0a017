"""The shop's views: one line each.

Data flow: view files -> VIEWS
Run: pytest tests/streaming/test_views.py
"""

from infra.settings import settings
from infra.shop.options import SHOP_DB_VIEWS
from streaming.shop.contracts.shop_db import TABLES
from streaming.shop.views.click_through import CLICK_THROUGH
from streaming.shop.views.clicks_with_customer import CLICKS_WITH_CUSTOMER
from streaming.shop.views.fraud_alerts import FRAUD_ALERTS
from streaming.shop.views.open_orders_by_region import OPEN_ORDERS_BY_REGION
from streaming.shop.views.order_payments import ORDER_PAYMENTS
from streaming.shop.views.order_totals import ORDER_TOTALS
from streaming.shop.views.order_value_percentiles import ORDER_VALUE_PERCENTILES
from streaming.shop.views.orders_last_8_minutes import ORDERS_LAST_8_MINUTES
from streaming.shop.views.payment_failures import PAYMENT_FAILURES
from streaming.shop.views.payment_health import PAYMENT_HEALTH
from streaming.shop.views.rolling_order_rate import ROLLING_ORDER_RATE
from streaming.shop.views.search_matches import SEARCH_MATCHES
from streaming.shop.views.shop_visits import SHOP_VISITS
from streaming.shop.views.viewed_together import VIEWED_TOGETHER
from streaming.views.reading import reading
from streaming.views.view import View

VIEWS: tuple[View, ...] = (
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
"""In the order in which they are listed."""

if settings().has(SHOP_DB_VIEWS):
    VIEWS = tuple(reading(view, TABLES) for view in VIEWS)

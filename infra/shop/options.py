"""The shop's options: its database, views of its captured tables, the one writer of its orders.

Data flow: `daybreak up --with` -> options that are on -> topics, views and programs of the shop
Run: daybreak up --with shop-db,order-service
"""

from infra.parts import Option

SHOP_DB, SHOP_DB_VIEWS, ORDER_SERVICE = "shop-db", "shop-db-views", "order-service"
OPTIONS = (
    Option(
        SHOP_DB,
        "The shop's database, and the capture of its changes.",
        of_the_stream=True,
        anew_off=True,
        of_dbt={"DAYBREAK_SHOP_DB": "on"},
        after_off="infra.shop.db.slot:given_up",
    ),
    Option(
        SHOP_DB_VIEWS,
        "Views read customers and products from the captured tables, not from the shop's events.",
        needs={SHOP_DB: "without it nothing captures the tables"},
        of_the_stream=True,
        anew_on=True,
        anew_off=True,
    ),
    Option(
        ORDER_SERVICE,
        "The one writer of orders: the shop sends it commands, and what it accepts becomes events.",
        of_the_stream=True,
        anew_off=True,
    ),
)

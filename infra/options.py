"""Parts of the platform that are off by default; `daybreak up --with` turns them on.

Data flow: names, comma-separated -> the options that are on; `<home>/options.env` keeps them
Run: daybreak up --with shop-db
"""

import os
from collections.abc import Collection
from pathlib import Path

from infra.failures import PermanentFailure

SHOP_DB = "shop-db"
"""The shop's database, and the capture of its changes."""
SHOP_DB_VIEWS = "shop-db-views"
"""Views read customers and products from the captured tables, not from the shop's events."""
ORDER_SERVICE = "order-service"
"""The one writer of orders: the shop sends it commands, and what it accepts becomes events."""
WEBHOOKS = "webhooks"
"""Signed events by HTTP: `POST /topics/<topic>`."""
QUEUE = "queue"
"""A queue broker, for the labs that compare it with the log."""
NOTIFY = "notify"
"""Alerts and corrections out, by signed HTTP requests and mail."""
OPTIONS = (SHOP_DB, SHOP_DB_VIEWS, ORDER_SERVICE, WEBHOOKS, NOTIFY, QUEUE)
OF_THE_STREAM = (SHOP_DB, SHOP_DB_VIEWS, ORDER_SERVICE)
"""Those that change which topics the stream reads, or what its views read: it is started again when one is turned on or off."""
OPTIONS_FILE, VARIABLE = "options.env", "DAYBREAK_OPTIONS"


def chosen(names: str) -> list[str]:
    """The options that are named, in the order of OPTIONS. Raises ValueError for a name that is none."""
    wanted = {name.strip() for name in names.split(",")} - {""}
    if unknown := sorted(wanted - {*OPTIONS}):
        raise ValueError(f"there is no option {', '.join(unknown)}; there is {', '.join(OPTIONS)}")
    if SHOP_DB_VIEWS in wanted and SHOP_DB not in wanted:
        raise ValueError(f"the option {SHOP_DB_VIEWS} needs {SHOP_DB}: without it nothing captures the tables")
    return [name for name in OPTIONS if name in wanted]


def keep(home: Path, now: str, more: Collection[str], fewer: Collection[str]) -> None:
    """Write which options are on from now on. Raises PermanentFailure for an unknown one, or where the environment decides."""
    if (given := os.environ.get(VARIABLE)) is not None:
        raise PermanentFailure(f"{VARIABLE}={given} in the environment decides which options are on: change it there")
    try:
        on = chosen(",".join((*chosen(now), *more)))
        known = {*fewer} - {*OPTIONS}
        found = chosen(",".join([name for name in on if name not in fewer] + sorted(known)))
    except ValueError as wrong:
        raise PermanentFailure(str(wrong)) from wrong
    home.mkdir(parents=True, exist_ok=True)
    (home / OPTIONS_FILE).write_text(f"{VARIABLE}={','.join(found)}\n")

"""The place of change capture in the shop database's own log, as `daybreak lag` shows it (option shop-db).

Data flow: pg_replication_slots -> Slot -> Backlog
Run: daybreak lag
"""

from dataclasses import asdict

from infra.settings import Settings
from infra.shop.db.slot import AGAIN, Slot, slot
from infra.shop.options import SHOP_DB
from streaming.hooks import Backlog

MB = 1 << 20


def lag(s: Settings) -> tuple[Backlog, ...]:
    """Of the connector's slot; nothing while the option is off, or before the connector's first start."""
    place = slot(s) if s.has(SHOP_DB) else None
    return (Backlog({"slot": asdict(place)}, tuple(_lines(place))),) if place else ()


def _lines(place: Slot) -> list[str]:
    left = "" if place.left is None else f"; Postgres gives it up after {place.left / MB:,.0f} MB more"
    said = [f"slot {place.name}: {place.retained / MB:,.1f} MB of the database's log are not captured yet{left}"]
    if place.is_lost:
        lost = f"{place.name} is lost: Postgres removed changes before they were captured. {AGAIN}"
        said.append(f"[bold red]{lost}[/]")
    elif place.is_short:
        short = f"{place.name} is about to be lost: see `daybreak status`, and `daybreak logs connect`"
        said.append(f"[bold red]{short}[/]")
    return said

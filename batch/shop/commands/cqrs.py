"""The lab `cqrs`, which reads what the night and gold have of an order.

Data flow: an order -> its forms -> terminal, `<home>/lab/cqrs.json`, `<home>/lab/index.html`
Run: daybreak lab cqrs
"""

from typing import Annotated

import pyarrow.compute as pc
import typer

from batch.shop import order_forms, order_forms_table
from batch.shop.order_history import GOLD, KEY, TOPICS
from infra.commands.labs.show import console, show
from infra.failures import PermanentFailure
from infra.lab.labs import CQRS
from infra.lake import reader
from infra.settings import Settings, settings
from streaming.tables.silver import SILVER

commands = typer.Typer()


@commands.command("cqrs")
def run_cqrs(
    order: Annotated[str | None, typer.Option("--order", help="Default: the newest that gold has settled.")] = None,
) -> None:
    """Follow one order through all its forms: the events as written, and every form in which it is read."""
    s = settings()
    chosen = order or _newest(s)
    with console.status(f"{chosen} is looked up in every form"):
        found = order_forms.forms(s, chosen)
    how = (
        f"Each form of {chosen} was looked up once, in this process; the first look-up of a store opens its connection."
    )
    shown = order_forms_table.rows(found), order_forms_table.shows(chosen, found)
    show(CQRS, *shown, how, order_forms_table.broken(found))


def _newest(s: Settings) -> str:
    """The newest order of a settled day, else of silver. Raises PermanentFailure if there is none."""
    if reader.exists(s, GOLD):
        settled = reader.read(s, GOLD, [KEY, "ordered_at"], where=pc.field("status") != "provisional")
        if settled.num_rows:
            return str(settled.sort_by([("ordered_at", "descending")])[KEY][0])
    for topic in TOPICS:
        own = reader.read(s, SILVER.id, ["event_time", topic], where=pc.field("topic") == topic)
        if own.num_rows:
            last = own.sort_by([("event_time", "descending")]).slice(0, 1).to_pylist()[0]
            return str(last[topic][KEY])
    raise PermanentFailure("no order has come yet: daybreak shop --days 0 --live 10")

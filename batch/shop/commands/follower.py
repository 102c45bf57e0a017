"""The commands `follower ...`: the systems that follow the captured tables (option shop-db).

Data flow: a follower's data and status, Kafka's log -> terminal
Run: daybreak follower search mug
"""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import Annotated

import typer
from rich.table import Table

from batch.shop import warehouse
from infra.commands.screen import Screen
from infra.durations import span
from infra.failures import PermanentFailure
from infra.services.program import Name
from infra.services.supervisor import Supervisor
from infra.settings import Settings
from infra.shop.commands.shop_db_on import shop_db_on
from infra.shop.db.tables import KEYS
from infra.shop.followers import follow, index
from infra.shop.followers.cache import CACHE
from infra.shop.followers.corrected import row_name
from infra.shop.followers.lag import lag as lag_of
from infra.shop.followers.product_index import ProductIndex
from infra.shop.followers.row_cache import RowCache
from infra.shop.followers.systems import systems

commands = typer.Typer()
followers = typer.Typer(no_args_is_help=True, help="The systems that follow the shop's captured tables and orders.")
commands.add_typer(followers, name="follower")
console = Screen()


@followers.command()
def lag(as_json: Annotated[bool, typer.Option("--json", help="Print JSON, one object per follower.")] = False) -> None:
    """Show how many records each follower is behind the log."""
    s = shop_db_on()
    found = [*(lag_of(s, one) for one in systems(s).values()), warehouse.lag(s)]
    now = time.time()
    if as_json:
        age = [None if one.at is None else now - one.at for one in found]
        print(json.dumps([asdict(one) | {"seconds_since_it_said_so": at} for one, at in zip(found, age, strict=True)]))
        return
    table = Table(box=None, header_style="dim")
    for name in ("follower", "of", "behind", "said"):
        table.add_column(name, justify="right" if name == "behind" else "left")
    for one in found:
        said = "never" if one.at is None else f"{span(now - one.at)} ago"
        table.add_row(one.follower, one.of, f"{one.behind:,}", said)
    console.print(table)


@followers.command()
def search(words: str, most: Annotated[int, typer.Option(min=1, max=1000, help="Most products to show.")] = 10) -> None:
    """Find products by the words of their titles, brands and descriptions."""
    for row in ProductIndex(index.folder(shop_db_on())).search(words, most):
        console.print(f"{row['product_id']}  {row['title']} ({row['brand']})", soft_wrap=True, markup=False)


@followers.command()
def get(
    table: Annotated[str, typer.Argument(help="A captured table; with --day a view.")],
    key: Annotated[list[str], typer.Argument(help="The values of the row's key, in their order.")],
    day: Annotated[str, typer.Option(help="Of a view: the day of the row, whose newest correction is shown.")] = "",
) -> None:
    """Print a row from the cache as JSON; with --day the newest correction of a view's row. Exits with 65 if there is none."""
    s = shop_db_on()
    if not day and table not in CACHE.tables:
        raise PermanentFailure(
            f"{table!r} is no table of the cache; there is {', '.join(CACHE.tables)}, and views by --day"
        )
    if not day and len(key) != len(KEYS[table]):
        raise PermanentFailure(f"the key of {table} is {' '.join(KEYS[table])}: {len(key)} values are not a key")
    cache = RowCache.serving(s)
    if day:
        said = cache.correction(row_name(table, day, list(key)))
    else:
        row = cache.row(table, tuple(key))
        said = None if row is None else json.dumps(row, ensure_ascii=False)
    if said is None:
        what = f"correction of {table} {' '.join(key)} of {day}" if day else f"{table} {' '.join(key)}"
        raise PermanentFailure(f"the cache has no {what}{_late(s)}")
    # As bytes: a row may have what no terminal's encoding can write.
    print(said.encode(errors="replace").decode())


def _late(s: Settings) -> str:
    behind = lag_of(s, CACHE).behind
    return f"; it is {behind:,} records behind the log: daybreak follower lag" if behind else ""


@followers.command()
def rebuild(
    name: Annotated[
        str, typer.Argument(help=f"A name that `daybreak follower lag` shows, e.g. cache or {warehouse.NAME}.")
    ],
) -> None:
    """Throw a follower's data away and build it again from the log, while the old data goes on being served.

    The rows of orders are mended in their place, from the events that their follower has kept.
    """
    s = shop_db_on()
    if name == warehouse.NAME:
        warehouse.rebuild(s)
        console.print(f"{name} is built from what the stream has read, and is built again by each night")
        return
    known = systems(s)
    if name not in known:
        raise PermanentFailure(f"{name!r} is no follower; there is {', '.join((*known, warehouse.NAME))}")
    wanted = known[name]

    @contextmanager
    def stands_still() -> Iterator[None]:
        supervisor = Supervisor(s)
        supervisor.stop(Name(wanted.program), wait=True)
        try:
            yield
        finally:
            supervisor.begin(Name(wanted.program))

    with console.status(f"the {name} is built from the log"):
        applied = follow.rebuild(s, wanted, stands_still)
    console.print(f"{name} is built from {applied:,} records, and follows on")

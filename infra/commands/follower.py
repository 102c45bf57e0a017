"""The commands `follower ...`: the systems that follow the captured tables (option shop-db).

Data flow: a follower's index and status, Kafka's log -> terminal
Run: daybreak follower search mug
"""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer
from rich.table import Table

from infra.commands.screen import Screen
from infra.commands.shop_db_on import shop_db_on
from infra.durations import span
from infra.failures import PermanentFailure
from infra.services.program import Name
from infra.services.supervisor import Supervisor
from infra.shop.followers import follow
from infra.shop.followers.product_index import TABLE, ProductIndex

commands = typer.Typer()
followers = typer.Typer(no_args_is_help=True, help="The systems that follow the shop's captured tables.")
commands.add_typer(followers, name="follower")
console = Screen()
INDEX = "index"


@followers.command()
def lag(as_json: Annotated[bool, typer.Option("--json", help="Print JSON, one object per follower.")] = False) -> None:
    """Show how far each follower is behind the log."""
    s = shop_db_on()
    file = follow.status_file(s)
    said = json.loads(file.read_text()) if file.exists() else {"position": {}, "at": None}
    position = {int(number): offset for number, offset in said["position"].items()}
    behind = sum(max(end - position.get(number, 0), 0) for number, end in follow.ends().items())
    age = None if said["at"] is None else time.time() - said["at"]
    if as_json:
        print(json.dumps([{"follower": INDEX, "of": TABLE, "behind": behind, "seconds_since_it_said_so": age}]))
        return
    table = Table(box=None, header_style="dim")
    for name in ("follower", "of", "behind", "said"):
        table.add_column(name, justify="right" if name == "behind" else "left")
    table.add_row(INDEX, TABLE, f"{behind:,}", "never" if age is None else f"{span(age)} ago")
    console.print(table)


@followers.command()
def search(words: str, most: Annotated[int, typer.Option(min=1, max=1000, help="Most products to show.")] = 10) -> None:
    """Find products by the words of their titles, brands and descriptions."""
    for row in ProductIndex(follow.folder(shop_db_on())).search(words, most):
        console.print(f"{row['product_id']}  {row['title']} ({row['brand']})", soft_wrap=True, markup=False)


@followers.command()
def rebuild(name: Annotated[str, typer.Argument(help=f"{INDEX}: there is no other yet.")]) -> None:
    """Throw a follower's data away and build it again from the log, while the old data goes on being served."""
    if name != INDEX:
        raise PermanentFailure(f"{name!r} is no follower; there is {INDEX}")
    s = shop_db_on()

    @contextmanager
    def swapped() -> Iterator[None]:
        supervisor = Supervisor(s)
        supervisor.stop(Name.FOLLOWER_INDEX, wait=True)
        try:
            yield
        finally:
            supervisor.begin(Name.FOLLOWER_INDEX)

    with console.status("the index is built from the log"):
        applied = follow.rebuild(s, swapped)
    console.print(f"{INDEX} is built from {applied:,} changes, and follows on")

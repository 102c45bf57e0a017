"""The command `set-back`: give a table its own form again, which another client has changed.

Data flow: a table's name -> its writer's lease -> infra/lake/set_back -> the terminal
Run: daybreak set-back silver.events
"""

from typing import Annotated

import typer

from batch.night.all_tables import night_tables
from batch.night.driver import session
from infra.commands.screen import Screen
from infra.failures import PermanentFailure
from infra.lake import set_back as table_set_back
from infra.lake.lease import Lease
from infra.lake.login import act_as
from infra.lake.tables import Writer
from infra.settings import settings
from infra.store_users import User
from streaming.all_tables import stream_tables

commands = typer.Typer()
console = Screen()


@commands.command("set-back")
def set_back(
    name: Annotated[str, typer.Argument(help="A table of stream or night, e.g. silver.events.")],
    with_rows: Annotated[bool, typer.Option("--with-rows", help="Undo changes of rows since then, too.")] = False,
) -> None:
    """Set a table back to its last version before another client changed its properties or protocol."""
    tables = {table.sql: table for table in (*stream_tables(), *night_tables())}
    table = tables.get(name)
    if table is None:
        raise PermanentFailure(f"{name} is no table of stream or night: daybreak tables lists them")
    act_as(User(table.writer.value))
    # A stream that refuses the table is started again and again: it leaves the lease between two starts.
    with Lease(table.writer, settings().lease_wait_seconds):
        done = table_set_back.set_back(table, session, with_rows)
    if done is None:
        console.print(f"{name} has its own form: nothing to set back")
        return
    console.print(f"{name} is as version {done.version} again, without {', '.join(done.wrong)}", soft_wrap=True)
    console.print(f"undone: {', '.join(done.undone)}", soft_wrap=True)
    if table.writer is Writer.STREAM:
        console.print("now start the stream again: daybreak restart stream")

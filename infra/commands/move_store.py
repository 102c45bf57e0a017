"""The command `move-store`: move a lake that MinIO made to versitygw.

Data flow: infra/services/move_store -> the terminal
Run: daybreak move-store
"""

import typer

from infra.commands.screen import Screen
from infra.services import place
from infra.services.move_store import move
from infra.settings import settings
from infra.store_format import minio_folder

commands = typer.Typer()
console = Screen()


@commands.command("move-store")
def move_store() -> None:
    """Move a lake that MinIO made to versitygw; MinIO's files stay until you delete them."""
    s = settings()
    place.link_installed(s)
    with console.status("copying") as spinner:
        number = move(s, lambda copied: spinner.update(f"copying: {copied:,} objects"))
    console.print(f"{number:,} objects are in versitygw's format; start the platform: daybreak up", soft_wrap=True)
    console.print(f"when all is well, delete what MinIO had: rm -r {minio_folder(s.home)}", soft_wrap=True)

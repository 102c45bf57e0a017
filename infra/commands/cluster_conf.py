"""The command `cluster-conf`: what a Spark standalone master and its workers need to be trusted by our drivers.

Data flow: `<home>/secrets.env` -> a folder, which is the SPARK_CONF_DIR of master and workers
Run: daybreak cluster-conf FOLDER
"""

from pathlib import Path
from typing import Annotated

import typer

from infra import cluster_files, secrets
from infra.settings import load, settings

commands = typer.Typer()


@commands.command("cluster-conf")
def cluster_conf(folder: Annotated[Path, typer.Argument(help="Where to write it; only its owner may read it")]) -> None:
    """Write the configuration of a Spark standalone master and its workers, with the secret that they share with us."""
    secrets.ensure(settings())
    written = cluster_files.write(load(), folder.resolve())
    typer.echo(
        f"{written}: set SPARK_CONF_DIR to it for the master and each worker (infra/README.md, On a Spark cluster)"
    )

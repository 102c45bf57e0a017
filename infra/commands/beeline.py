"""The command `beeline`: Hive's SQL client, connected to the SQL gateway.

Data flow: the terminal -> beeline, of the pyspark wheel -> the SQL gateway
Run: daybreak beeline -e "SHOW TABLES IN gold"

SPARK_HOME is set because Spark's script would ask the `python3` on the PATH, which may not have Spark.
"""

import os
import subprocess
from pathlib import Path
from typing import Annotated

import pyspark
import typer

from infra.services.program import BIN
from infra.settings import settings
from infra.sql.reach import jdbc
from infra.sql.users import Role, password_file

commands = typer.Typer()


@commands.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
def beeline(
    context: typer.Context,
    role: Annotated[Role, typer.Option("--as", help="Who logs in.")] = Role.READER,
) -> None:
    """Open Hive's client at the SQL gateway; all other options are passed to beeline (-e SQL, -f FILE)."""
    s = settings()
    address = jdbc(s)
    env = os.environ | {"SPARK_HOME": str(Path(pyspark.__file__).parent)}
    # On the command line everybody would see the password.
    login = ["-n", str(role), "-w", str(password_file(s, role))]
    command = [str(BIN / "beeline"), "-u", address, *login, *context.args]
    if code := subprocess.run(command, env=env, check=False).returncode:
        raise typer.Exit(code)

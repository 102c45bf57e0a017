"""After the start: create the night's tables, and register every table of the lake in the gateway.

Data flow: the lake's folders -> `python -m batch prepare` if the night's are missing -> the gateway's catalogue
Run: daybreak up
"""

import os
import subprocess
import sys

from infra.failures import TransientFailure
from infra.lake.s3 import client
from infra.services.program import shared_env
from infra.services.start import Tell
from infra.settings import ROOT, Settings

LAST_OF_THE_NIGHT = "reconciliation/conservation/_delta_log/"
"""`batch prepare` makes this table last: where it is, all are."""


def register(s: Settings, tell: Tell, waiting: Tell) -> None:
    """Create what is missing, then register all. Raises TransientFailure if the preparation fails."""
    # The gateway's client takes a second to import, which only this one command should pay.
    from infra.sql import gateway

    if not any(client(s).list_objects(s.bucket, prefix=LAST_OF_THE_NIGHT)):
        waiting("the night's tables to be created")
        log = s.home / "logs" / "prepare.log"
        with log.open("w") as output:
            command = [sys.executable, "-m", "batch", "prepare"]
            code = subprocess.run(
                command, stdout=output, stderr=output, cwd=ROOT, env=os.environ | shared_env(s)
            ).returncode
        if code:
            raise TransientFailure(f"`python -m batch prepare` failed (exit {code}); see {log}")
        tell("the night's tables are created")
    waiting("the gateway to learn the lake's tables")
    names = gateway.register()
    tell(f"the gateway knows {len(names)} tables")

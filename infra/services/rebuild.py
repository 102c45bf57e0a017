"""Rebuild the stream, where an option changes which topics it has or what its views read.

Data flow: options before and after -> `python -m streaming rebuild`, between two runs of the stream
Run: daybreak up --with shop-db-views
"""

import os
import subprocess
import sys
from pathlib import Path

from infra.failures import PermanentFailure
from infra.options import EVERY, chosen
from infra.services.program import shared_env
from infra.settings import ROOT, Settings


def is_needed(home: Path, before: str, after: str) -> bool:
    """Has a stream of this home state that does not fit the options any more? A topic that is new needs nothing."""
    old, new = set(chosen(before)), set(chosen(after))
    changes = any(EVERY[name].anew_on for name in new - old) or any(EVERY[name].anew_off for name in old - new)
    return changes and (home / "run" / "stream.json").exists()


def rebuild(s: Settings) -> None:
    """Bronze and silver stay, the views are computed anew. The stream must be stopped, and Kafka, store and Postgres up.

    Raises PermanentFailure with the rebuild's own words if it fails.
    """
    command = [sys.executable, "-m", "streaming", "rebuild"]
    done = subprocess.run(command, cwd=ROOT, env=os.environ | shared_env(s), capture_output=True, text=True)
    if done.returncode:
        said = (done.stderr or done.stdout).strip().splitlines()
        raise PermanentFailure(
            f"the stream could not be rebuilt for its new options: {said[-1] if said else 'no reason given'}"
        )

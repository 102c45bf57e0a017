"""Drill points: places where an operator or a test may hold a process, to kill it exactly there.

Data flow: `<home>/drills/<place>` exists -> the process writes `<place>.reached` and waits until the file is gone
Run: touch .daybreak/drills/ingest.after-bronze, then rm it
"""

import os
import time

from infra.settings import settings


def point(place: str) -> None:
    """Stand still here for as long as the drill file exists; costs one `stat` otherwise."""
    drill = settings().home / "drills" / place
    if not drill.exists():
        return
    print(f"drill: holding at {place}", flush=True)
    drill.with_name(f"{place}.reached").write_text(str(os.getpid()))
    while drill.exists():
        time.sleep(0.1)

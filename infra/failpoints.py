"""Failpoints: places where an operator or a test may hold a process, to kill it exactly there.

Data flow: `<home>/failpoints/<place>` exists -> the process writes `<place>.reached` and waits until the file is gone
Run: touch .daybreak/failpoints/ingest.after-bronze, then rm it
"""

import os
import time

from infra.settings import settings


def point(place: str) -> None:
    """Wait here while the failpoint file exists; otherwise this costs one `stat`."""
    failpoint = settings().home / "failpoints" / place
    if not failpoint.exists():
        return
    print(f"failpoint: holding at {place}", flush=True)
    failpoint.with_name(f"{place}.reached").write_text(str(os.getpid()))
    while failpoint.exists():
        time.sleep(0.1)

"""Another version of the source, really deployed: a copy with a line changed, and its stream in the place of supervisor's.

Data flow: the tree -> a copy with edits -> `python -m streaming rebuild`, `python -m streaming` from there
Run: pytest tests/platform/test_00_deployed.py
"""

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from running import Platform, of_group, until

SOURCE = ("batch", "infra", "streaming")
UNIT_PRICES = 'F.aggregate("items", F.lit(0).cast("long"), lambda total, item: total + item["unit_price_cents"])'
SHOP = "streaming/shop"
EDITS = {
    f"{SHOP}/views/order_totals.py": ('"event_time", "total_cents", ', f'"event_time", {UNIT_PRICES}.alias("total_cents"), '),
    f"{SHOP}/contracts/orders.py": ('each_between("items", "quantity", 1, 1000)', 'each_between("items", "quantity", 1, 2)'),
}  # fmt: skip
"""Revenue without the quantities, and a limit of two pieces where there were a thousand."""


def copied(source: Path, folder: Path) -> Path:
    """A source with one line changed in each of two files."""
    for package in SOURCE:
        shutil.copytree(source / package, folder / package, ignore=shutil.ignore_patterns("__pycache__"))
    for name, (right, wrong) in EDITS.items():
        text = (folder / name).read_text()
        assert text.count(right) == 1, name
        (folder / name).write_text(text.replace(right, wrong))
    return folder


@contextmanager
def deployed(platform: Platform, source: Path) -> Iterator[None]:
    """The stream of another source, after its rebuild; supervisor's own is stopped, and begun by who deploys the next."""
    platform.supervisor().stop("stream", wait=True)
    python = {"cwd": source, "env": platform.env, "text": True, "stderr": subprocess.STDOUT}
    rebuilt = subprocess.run([sys.executable, "-m", "streaming", "rebuild"], **python, stdout=subprocess.PIPE)
    assert rebuilt.returncode == 0, rebuilt.stdout[-5000:]
    file, state = platform.settings.home / "logs" / "deployed.log", platform.settings.home / "run" / "stream.json"
    with file.open("w") as log:
        stream = subprocess.Popen([sys.executable, "-m", "streaming"], **python, stdout=log, start_new_session=True)

    def is_running() -> bool:
        assert stream.poll() is None, file.read_text()[-5000:]
        said = json.loads(state.read_text())
        return bool((said["pid"], said["state"]) == (stream.pid, "running"))

    try:
        until("the wrong rules are in force", is_running)
        yield
        stream.send_signal(signal.SIGTERM)
        assert stream.wait(timeout=600) == 0, file.read_text()[-5000:]
        until("nothing of it runs", lambda: not of_group(stream.pid), 60)
    finally:
        if stream.poll() is None:
            os.killpg(stream.pid, signal.SIGKILL)
            stream.wait()

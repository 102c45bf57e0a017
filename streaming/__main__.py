"""The stream's command line.

Data flow: python -m streaming -> stream.run or rebuild.rebuild
Run: python -m streaming; python -m streaming rebuild [--accept-gap]
"""

import sys
from collections.abc import Callable
from functools import partial

from infra.failures import PermanentFailure, reported
from streaming.rebuild import rebuild
from streaming.stream import run

COMMANDS: dict[str, Callable[[], None]] = {
    "": run,
    "rebuild": rebuild,
    "rebuild --accept-gap": partial(rebuild, accept_gap=True),
}

if __name__ == "__main__":
    with reported():
        name = " ".join(sys.argv[1:])
        if name not in COMMANDS:
            raise PermanentFailure(
                f"unknown command {name!r}: use `python -m streaming` or `python -m streaming rebuild [--accept-gap]`"
            )
        COMMANDS[name]()

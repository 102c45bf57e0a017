"""The stream's command line.

Data flow: python -m streaming -> stream.run or rebuild.rebuild
Run: python -m streaming; python -m streaming rebuild [--accept-gap]
"""

import sys
from collections.abc import Callable
from functools import partial

from infra import logs
from infra.failures import PermanentFailure, reported
from infra.settings import settings


def commands() -> dict[str, Callable[[], None]]:
    """By their words. Imported here: a project that does not load is one sentence in the log, and no reason to start again."""
    from streaming.rebuild import rebuild
    from streaming.stream import run

    return {"": run, "rebuild": rebuild, "rebuild --accept-gap": partial(rebuild, accept_gap=True)}


if __name__ == "__main__":
    with reported():
        logs.begin(settings().log_format)
        name, known = " ".join(sys.argv[1:]), commands()
        if name not in known:
            raise PermanentFailure(
                f"unknown command {name!r}: use `python -m streaming` or `python -m streaming rebuild [--accept-gap]`"
            )
        known[name]()

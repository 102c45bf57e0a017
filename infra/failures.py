"""Failures by type: the type decides whether a task is retried.

Data flow: an exception -> one sentence on standard error and an exit code
Run: python -m batch truth --date 2026-01-01; echo $?
"""

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from infra import logs, out_of_memory, owner_only
from infra.cause import unwrapped

PERMANENT_EXIT = 65
"""Exit code of a permanent failure (sysexits.h EX_DATAERR): Airflow fails the task without a retry."""


class PermanentFailure(Exception):
    """A retry cannot help: wrong settings, a table that does not fit, an unexplained difference."""


class TransientFailure(Exception):
    """A retry can help: a service that is down, a lease that is held."""


@contextmanager
def reported() -> Iterator[None]:
    """Turn these failures, what the lake's store refuses, and a heap or a disk that was full, into a sentence and an exit code;
    others keep their traceback (exit 1, transient).

    Each process of ours is in such a block: what it writes is its owner's alone.
    """
    owner_only.begin()
    try:
        yield
    except PermanentFailure as failure:
        _last(unwrapped(str(failure)))
        sys.exit(PERMANENT_EXIT)
    except TransientFailure as failure:
        _last(f"{unwrapped(str(failure))}{_no_room(failure)} (temporary: retry)")
        sys.exit(1)
    except Exception as failure:
        if why := out_of_memory.found(failure):
            _last(why)
            sys.exit(1)
        if room := _no_room(failure):
            _last(f"{unwrapped(str(failure))}{room} (temporary: retry)")
            sys.exit(1)
        # Imported here because it imports this module. Spark says so in words of its own.
        from infra.lake.login import refusal

        if why := refusal(str(failure)):
            _last(why)
            sys.exit(PERMANENT_EXIT)
        raise


def _last(words: str) -> None:
    logs.line(words, level=logging.ERROR)


def _no_room(failure: Exception) -> str:
    """Of a failure for want of room: which disk of this machine is full."""
    # Imported here because settings, of which it asks, raise the failures of this module.
    from infra import room
    from infra.settings import settings

    is_told = room.THERE_IS_NONE in str(failure)
    return room.told(settings()) if room.NO_ROOM.search(str(failure)) and not is_told else ""

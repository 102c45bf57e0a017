"""A JVM of ours whose heap is full ends at once, and what ended is named, with the setting to raise.

Data flow: how a JVM ended -> None, or a sentence
Run: pytest tests/infra/test_out_of_memory.py

Java lets the thread that asked for memory die, and the process goes on without it: a stream whose thread of results had died
so read nothing again, and counted as healthy. The SQL gateway is the exception: there a statement's thread dies, and no other.
"""

import subprocess
from contextlib import suppress

ENDS = "-XX:+ExitOnOutOfMemoryError"
GOES_ON = "-XX:-ExitOnOutOfMemoryError"
FULL = "ran out of memory"
EXIT = 3
"""A JVM's exit code with ENDS (HotSpot: `os::_exit(3)`)."""
MOMENT_SECONDS = 1.0
END_SECONDS = 30.0
"""How long a JVM is waited for that answers no more: on a busy machine the end of a gigabyte takes its time."""

_own: list[tuple[subprocess.Popen[bytes], str, str]] = []


def sentence(program: str, memory: str, setting: str) -> str:
    """What happened and what to do; `memory` is the heap, e.g. 1536m, and `setting` the name of its setting."""
    return f"{program} {FULL}: its heap is {memory}. Give it more with DAYBREAK_{setting.upper()}"


def watch(jvm: subprocess.Popen[bytes], memory: str, setting: str) -> None:
    """Remember the JVM of this process, of which there is one."""
    _own[:] = [(jvm, memory, setting)]


def found(failure: Exception | None = None) -> str | None:
    """The sentence, if the JVM of this process has run out of memory. What failed with it may be seen a moment before its end,
    and a while before it if the failure says that the JVM answers no more."""
    # Imported here because set-up, which has no package yet, imports this module.
    from py4j.protocol import Py4JNetworkError

    seconds = END_SECONDS if isinstance(failure, Py4JNetworkError | ConnectionError) else MOMENT_SECONDS
    for jvm, memory, setting in _own:
        with suppress(subprocess.TimeoutExpired):
            if jvm.wait(seconds) == EXIT:
                return sentence("Spark's JVM", memory, setting)
    return None

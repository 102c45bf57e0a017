"""Extract the cause of a failure, as one sentence, from the messages of Java, Spark and Python.

Data flow: a message with wrapped exceptions, tracebacks and plans -> the innermost cause
Run: pytest tests/infra/test_cause.py
"""

import re

_HEAD = re.compile(
    r"^(?:Caused by: |: )?(?:Error running query: )?(?:\[[A-Z_.]+\] )?"
    r"(?P<kind>(?:\w+[.$])*[A-Z]\w*(?:Error|Exception|Failure|Interrupt)|(?:[a-z_]\w*\.)+[A-Z]\w*(?=: ))(?:: ?(?P<says>.*))?$"
)
"""The line that names an exception: Java's with `Caused by`, Py4J's after a colon, the gateway's, Python's own."""
_AROUND = re.compile(
    r"An exception was raised by the Python Proxy"
    r"|An error occurred while calling o\d"
    r"|\[STREAM_FAILED\] Query \[.*?\] terminated with exception: "
    r"|\[FOREACH_BATCH_USER_FUNCTION_ERROR\] .*? Reason: "
    r"|Traceback \(most recent call last\)"
)
_TASK = re.compile(r"^Job aborted due to stage failure: .*?\(\S+ executor \S+\): (?:(?:\w+\.)+\w+: )?")
_STATE = re.compile(r" SQLSTATE: \w+( \(line \d+, pos \d+\))?.*")
_ASIDE = re.compile(r"^(\s|== |\+- |'|; |at |$)")
"""Lines below a message that are not part of it: stack frames, plans, the statement."""
_DRAWN = re.compile(r"\s*\x1b\[\d*m↳\x1b\[\d*m\s*|\s*\x1b\[\d*m")
"""Arrows and colours with which delta-rs draws a chain of causes on several lines."""
LONGEST = 400
"""The longest sentence returned, in characters."""


def sentence(said: str) -> str:
    """The innermost cause, or the exception's name if it has no message. Without an exception, the first sentence."""
    said = _DRAWN.sub(": ", said)
    lines = said.strip().splitlines()
    heads = [(at, found) for at, line in enumerate(lines) if (found := _HEAD.match(line))]
    for at, head in reversed(heads):
        told = _told([head["says"] or "", *lines[at + 1 :]])
        if not _AROUND.match(told):
            return told or head["kind"].rsplit(".")[-1]
    return _told([_AROUND.sub("", lines[0]), *lines[1:]]) if lines else ""


def unwrapped(said: str) -> str:
    """The same text if it wraps no exception; else the text before the wrapped exception, and the cause."""
    said = _DRAWN.sub(": ", said)
    around = _AROUND.search(said)
    return f"{said[: around.start()]}{sentence(said)}" if around else said


def _told(lines: list[str]) -> str:
    """The first sentence, which may continue on the next lines."""
    told = lines[0].strip()
    for line in lines[1:]:
        if told.endswith((".", "!", "?")) or " SQLSTATE: " in told or _ASIDE.match(line):
            break
        told = f"{told} {line.strip()}".strip()
    return _STATE.sub(r"\1", _TASK.sub("", told)).strip()[:LONGEST]

"""Spark's files of the checkpoint after a power loss: the newest may be there by their names, without their bytes.

Data flow: the newest files of `<checkpoints>/<query>/{offsets,commits}` -> whole, mended, or refused
Run: python -m streaming
Source: Spark reads the last commit and the last two plans at a start, and fails at one that is cut off, at each start.
"""

import json

from py4j.protocol import Py4JJavaError

from infra import logs
from infra.failures import PermanentFailure
from streaming.positions.checkpoint import Checkpoints
from streaming.versions.generation import REBUILD

COMMIT, PLAN = 2, 3
"""Lines of a commit (version, metadata) and of a plan (and the source's end offsets)."""


def check(checkpoints: Checkpoints, query: str) -> None:
    """Drop a last commit that is cut off: its micro-batch is repeated, and writes nothing twice.

    Raises PermanentFailure if a plan is cut off or missing: nobody knows which offsets its micro-batch had, and part of its rows
    may be written.
    """
    last = checkpoints.committed(query)
    if last is not None and not _is_whole(_text(checkpoints, f"{query}/commits/{last}"), COMMIT):
        checkpoints.drop(f"{query}/commits/{last}")
        said = f"the commit of micro-batch {last} was cut off: the micro-batch is repeated"
        logs.line(said, text=f"daybreak: {said}")
    newest = -1 if last is None else last
    # Of the one that was running there may be no plan yet.
    for batch_id, may_be_missing in ((newest - 1, False), (newest, False), (newest + 1, True)):
        text = _text(checkpoints, f"{query}/offsets/{batch_id}") if batch_id >= 0 else None
        is_missing = text is None and (may_be_missing or batch_id < 0)
        if not is_missing and not _is_whole(text, PLAN):
            raise PermanentFailure(
                f"{checkpoints.of(query)}/offsets/{batch_id} is {'missing' if text is None else 'cut off'}, as after a power "
                f"loss: which offsets its micro-batch had is not known. {REBUILD}"
            )


def _is_whole(text: str | None, lines: int) -> bool:
    version, *rest = (text or "").splitlines() or [""]
    try:
        return version.startswith("v") and len([json.loads(line) for line in rest]) + 1 >= lines
    except ValueError:
        return False


def _text(checkpoints: Checkpoints, name: str) -> str | None:
    try:
        return checkpoints.read(name)
    except Py4JJavaError as broken:
        # Hadoop keeps a checksum beside a local file.
        if "ChecksumException" in broken.java_exception.getClass().getName():
            return ""
        raise

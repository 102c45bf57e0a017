"""Check that checkpoint and tables belong together: the stream starts only if both are of the same generation.

Data flow: `<checkpoints>/generation`, bronze's `daybreak.generation` -> continue, begin, or refuse
Run: python -m streaming

Delta ignores a write of a micro-batch number it has seen. A new checkpoint counts from 0 again, so without this check a
lost checkpoint would silently drop every row.
"""

import json
from collections.abc import Collection, Mapping

from infra.failures import PermanentFailure
from infra.lake import arrow_tables
from infra.settings import settings
from streaming.positions.checkpoint import Checkpoints
from streaming.tables.bronze import BRONZE
from streaming.versions.definitions import is_of_events, of_topic, topic_of

PROPERTY = "daybreak.generation"
REBUILD = "Stop the stream and run `python -m streaming rebuild` (streaming/README.md): it keeps bronze and silver."


def of_tables() -> str | None:
    """The generation that the tables belong to; None before the first start."""
    return arrow_tables.property_of(BRONZE, PROPERTY) if arrow_tables.exists(BRONZE) else None


def adopt(generation: str) -> None:
    """Make the tables belong to a generation."""
    arrow_tables.set_property(BRONZE, PROPERTY, generation)


def settled(checkpoints: Checkpoints, definitions: Mapping[str, str]) -> str:
    """The generation to continue with; a new one on an empty lake.

    Raises PermanentFailure if checkpoint and tables do not belong together, if a view has changed, or if a topic is gone.
    """
    theirs, ours = of_tables(), checkpoints.generation()
    if theirs is None and ours is None:
        generation = checkpoints.begin()
        remember(checkpoints, definitions)
        adopt(generation)
        return generation
    if theirs is None:
        # Died between the two lines above, or the lake was emptied under the checkpoint.
        if checkpoints.read("ingest/offsets/0") is None and ours is not None:
            adopt(ours)
            return ours
        raise PermanentFailure(f"the checkpoint {checkpoints.root} belongs to tables that are gone. {REBUILD}")
    if ours is None:
        raise PermanentFailure(
            f"the tables belong to a checkpoint that is not at {checkpoints.root}: it is lost. {REBUILD}"
        )
    if ours != theirs:
        raise PermanentFailure(
            f"the checkpoint at {checkpoints.root} ({ours}) is not that of the tables ({theirs}). {REBUILD}"
        )
    written = json.loads(checkpoints.read("definitions") or "{}")
    now = _state(definitions)
    if gone := topics_gone(written, now):
        raise PermanentFailure(
            f"no contract names {', '.join(gone)} any more, and the stream has read it: put the contract back, or leave the "
            f"topic for good. {REBUILD}"
        )
    changed = sorted(name for name in now if not is_of_events(name) and written.get(name) not in (None, now[name]))
    if changed:
        raise PermanentFailure(f"{', '.join(changed)} changed since the stream's state was built. {REBUILD}")
    remember(checkpoints, definitions)
    return ours


def topics_gone(written: Collection[str], now: Collection[str]) -> list[str]:
    """The topics of the definitions `written` that are not in force now: Spark would look for their offsets for ever."""
    return sorted({topic for name in written if (topic := topic_of(name)) and of_topic(topic) not in now})


def remember(checkpoints: Checkpoints, definitions: Mapping[str, str]) -> None:
    """Store the versions of the definitions that the checkpoints' state is built with."""
    checkpoints.write("definitions", json.dumps(_state(definitions)))


def _state(definitions: Mapping[str, str]) -> dict[str, str]:
    """All that the views' state depends on: the versions of the definitions, and the watermark delay."""
    return {**definitions, "DAYBREAK_WATERMARK_DELAY_SECONDS": str(settings().watermark_delay_seconds)}

"""The stream's checkpoints: the generation they belong to, and the offsets that Spark planned per micro-batch.

Data flow: `<checkpoints>/generation` and `<checkpoints>/<query>/offsets/<batch>` -> Generation check, Planned
Run: python -m streaming
Source: Spark's offset log: a version line, a metadata line, one line per source.
"""

import json
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from pyspark.sql import SparkSession

from infra.settings import settings
from streaming.positions.watermark import time_of

SourceOffsets = dict[str, dict[str, int]]
"""End offsets (exclusive) in Spark's format: {topic: {partition: end}}."""


@dataclass(frozen=True)
class Planned:
    """Spark's plan of one micro-batch: start time and end offsets. It is the same when the batch is repeated."""

    as_of: datetime
    ends: SourceOffsets


class Checkpoints:
    """The folder of all the stream's checkpoints, on any file system that Hadoop can open."""

    def __init__(self, session: SparkSession) -> None:
        self.root = settings().checkpoints.rstrip("/")
        self._jvm: Any = session._jvm
        self._hadoop = session._jsc.hadoopConfiguration()

    def of(self, query: str) -> str:
        """The checkpoint location of a query."""
        return f"{self.root}/{query}"

    def generation(self) -> str | None:
        """Id of the generation of these checkpoints, which their tables carry too; None if there is no checkpoint."""
        return self._read(f"{self.root}/generation")

    def begin(self) -> str:
        """Start a new generation in an empty folder and return its id; ids sort by their start."""
        generation = f"{datetime.now(UTC):%Y%m%dT%H%M%S}-{uuid.uuid4().hex[:8]}"
        self.write("generation", generation)
        return generation

    def write(self, name: str, text: str) -> None:
        """Write a small file of ours beside Spark's folders."""
        self._put(self._path(f"{self.root}/{name}"), text)

    def read(self, name: str) -> str | None:
        """Read a small file of ours; None where it is missing."""
        return self._read(f"{self.root}/{name}")

    def drop(self, query: str | None = None) -> None:
        """Delete the checkpoint of one query, or all checkpoints."""
        path = self._path(self.of(query) if query else self.root)
        path.getFileSystem(self._hadoop).delete(path, True)

    def forget_plan(self, query: str, batch_id: int) -> None:
        """Forget what Spark planned for a micro-batch of which nothing was written, so that it plans it anew."""
        path = self._path(f"{self.of(query)}/offsets/{batch_id}")
        path.getFileSystem(self._hadoop).delete(path, False)

    def planned(self, query: str, batch_id: int) -> Planned:
        """What Spark planned for a micro-batch; it is written before the batch runs."""
        text = self._read(f"{self.of(query)}/offsets/{batch_id}")
        assert text is not None, f"no plan of batch {batch_id} of {query}"
        _, metadata, ends = text.splitlines()
        return Planned(as_of=time_of(int(json.loads(metadata)["batchTimestampMs"])), ends=json.loads(ends))

    def committed(self, query: str) -> int | None:
        """The last micro-batch that Spark counts as done; None before the first."""
        path = self._path(f"{self.of(query)}/commits")
        files = path.getFileSystem(self._hadoop)
        if not files.exists(path):
            return None
        names = [file.getPath().getName() for file in files.listStatus(path)]
        return max((int(name) for name in names if name.isdigit()), default=None)

    def start(self) -> SourceOffsets:
        """The offsets at which a rebuild told the ingest to begin; empty if it begins at the start of the log."""
        start: SourceOffsets = json.loads(self.read("start") or "{}")
        return start

    def started_from(self, query: str) -> SourceOffsets:
        """The Kafka offsets at which the query began."""
        text = self._read(f"{self.of(query)}/sources/0/0")
        assert text is not None, f"no start of {query}"
        start: SourceOffsets = json.loads(text[text.index("{") :])
        return start

    def resumes_at(self, query: str) -> SourceOffsets:
        """The Kafka offsets at which the query resumes: after its last committed micro-batch, or at its start."""
        batch_id = self.committed(query)
        if batch_id is not None:
            return self.planned(query, batch_id).ends
        if self._read(f"{self.of(query)}/sources/0/0") is not None:
            return self.started_from(query)
        return self.start()

    def place(self, query: str, at: SourceOffsets) -> None:
        """Let the query go on at these offsets in partitions that `resumes_at` does not name, as if it had read up to there.

        Without it Spark begins such a partition at offset 0, and fails if the log does not. The query must not run.
        """
        batch_id = self.committed(query)
        first = f"{self.of(query)}/sources/0/0"
        if batch_id is None and self._read(first) is None:
            self.write("start", json.dumps(_placed(self.start(), at)))
            return
        # A micro-batch that was planned is repeated: from there, and not back. It is changed first, since `resumes_at` does
        # not look at it: whoever dies between the two is asked to do both again.
        planned = f"{self.of(query)}/offsets/{0 if batch_id is None else batch_id + 1}"
        if self._read(planned) is not None:
            self._change(planned, lambda ends: _placed(ends, at, max))
        self._change(
            first if batch_id is None else f"{self.of(query)}/offsets/{batch_id}", lambda ends: _placed(ends, at)
        )

    def _change(self, name: str, change: Callable[[SourceOffsets], SourceOffsets]) -> None:
        """Change the offsets in a file of Spark's, which end it; the file is replaced as a whole."""
        text = self._read(name)
        assert text is not None, f"no {name}"
        head, line, offsets = text.rpartition("\n")
        # Without a line break Spark's own first byte and version come before the offsets.
        begins = offsets.index("{")
        self._replace(name, head + line + offsets[:begins] + json.dumps(change(json.loads(offsets[begins:]))))

    def _replace(self, name: str, text: str) -> None:
        hadoop = self._jvm.org.apache.hadoop.fs
        target, fresh = self._path(name), self._path(f"{name.rpartition('/')[0]}/.{name.rpartition('/')[2]}.new")
        self._put(fresh, text)
        overwrite = self._jvm.java.lang.reflect.Array.newInstance(hadoop.Options.Rename.OVERWRITE.getClass(), 1)
        overwrite[0] = hadoop.Options.Rename.OVERWRITE
        hadoop.FileContext.getFileContext(target.toUri(), self._hadoop).rename(fresh, target, overwrite)

    def _put(self, path: Any, text: str) -> None:
        stream = path.getFileSystem(self._hadoop).create(path, True)
        stream.write(bytearray(text.encode()))
        stream.close()

    def _read(self, name: str) -> str | None:
        path = self._path(name)
        files = path.getFileSystem(self._hadoop)
        if not files.exists(path):
            return None
        stream = files.open(path)
        try:
            return str(self._jvm.org.apache.commons.io.IOUtils.toString(stream, "UTF-8"))
        finally:
            stream.close()

    def _path(self, name: str) -> Any:
        return self._jvm.org.apache.hadoop.fs.Path(name)


def _placed(
    offsets: SourceOffsets, at: SourceOffsets, choose: Callable[[int, int], int] = lambda known, placed: placed
) -> SourceOffsets:
    """`offsets`, and those of `at`; where both have one, what `choose(known, placed)` says."""
    found = {topic: dict(parts) for topic, parts in offsets.items()}
    for topic, parts in at.items():
        own = found.setdefault(topic, {})
        own |= {number: choose(own.get(number, offset), offset) for number, offset in parts.items()}
    return found


def ranges(checkpoints: Checkpoints, query: str, batch_id: int, ends: SourceOffsets) -> list[tuple[str, int, int, int]]:
    """The offsets of a micro-batch that ends there: topic, partition, from, to (exclusive); what came since the plan before."""
    start = checkpoints.planned(query, batch_id - 1).ends if batch_id else checkpoints.started_from(query)
    return [
        (topic, int(partition), start.get(topic, {}).get(partition, 0), to)
        for topic, partitions in ends.items()
        for partition, to in partitions.items()
    ]

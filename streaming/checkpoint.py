"""The stream's checkpoints: the generation they belong to, and the offsets that Spark planned per micro-batch.

Data flow: `<checkpoints>/generation` and `<checkpoints>/<query>/offsets/<batch>` -> Generation check, Planned
Run: python -m streaming
Source: Spark's offset log: a version line, a metadata line, one line per source.
"""

import json
import uuid
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from pyspark.sql import SparkSession

from infra.settings import settings
from streaming.watermark import time_of

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
        path = self._path(f"{self.root}/{name}")
        stream = path.getFileSystem(self._hadoop).create(path, True)
        stream.write(bytearray(text.encode()))
        stream.close()

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

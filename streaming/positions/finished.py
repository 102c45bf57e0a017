"""Positions: how far the stream has read each partition, over all generations; of topics too that it does not read now.

Data flow: speed/progress, bronze/gaps -> offset per partition
Run: python -m streaming rebuild
"""

import pyarrow as pa
import pyarrow.compute as pc

from infra.kafka.places import Ends
from infra.lake import arrow_tables
from streaming.positions.checkpoint import SourceOffsets
from streaming.positions.gaps import BRONZE_GAPS
from streaming.tables.progress import INGEST, PROGRESS

AT = ("topic", "partition")


def finished() -> Ends:
    """End offset per partition of all finished micro-batches and gaps, over all generations."""
    pieces = (piece["offsets"] for piece in arrow_tables.pieces(PROGRESS, ["offsets"], pc.field("query") == INGEST))
    ranges = (pa.Table.from_struct_array(pc.list_flatten(piece.combine_chunks())) for piece in pieces)
    ends: Ends = {}
    for found in (*map(_ends, ranges), _ends(arrow_tables.read(BRONZE_GAPS, (*AT, "to")))):
        for at, end in found.items():
            ends[at] = max(ends.get(at, 0), end)
    return ends


def _ends(ranges: pa.Table) -> Ends:
    last = ranges.group_by([*AT]).aggregate([("to", "max")])
    return {(row["topic"], row["partition"]): row["to_max"] for row in last.to_pylist()}


def nested(ends: Ends) -> SourceOffsets:
    """As Spark writes offsets: {topic: {partition: end}}."""
    found: SourceOffsets = {}
    for (topic, partition), end in ends.items():
        found.setdefault(topic, {})[str(partition)] = end
    return found


def flat(offsets: SourceOffsets) -> Ends:
    """The reverse."""
    return {(topic, int(number)): end for topic, parts in offsets.items() for number, end in parts.items()}

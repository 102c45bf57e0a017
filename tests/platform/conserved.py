"""Does conservation say what was sent? In plain Python over delta-rs and the ledger, apart from the night's own counting.

Data flow: reconciliation/conservation, ledger -> a list of what does not agree
Run: pytest tests/platform/test_06_truth.py
"""

from collections import defaultdict
from collections.abc import Iterator, Set
from itertools import pairwise
from typing import Any

from accounting import At
from running import Platform

from infra.kafka import places


def disagreeing(platform: Platform, lost: Set[At] = frozenset()) -> list[str]:
    """Sentences about partitions whose conservation is not what was sent; `lost` are offsets in accepted gaps."""
    sent = {(entry.topic, entry.partition, entry.offset) for entry in platform.sent()}
    found: dict[places.At, list[dict[str, Any]]] = defaultdict(list)
    for row in platform.rows("reconciliation/conservation"):
        found[row["topic"], row["partition"]].append(row)
    ends = platform.ends()
    missing = [f"{at}: never counted" for at in ends if at not in found]
    return missing + [said for at, rows in sorted(found.items()) for said in _partition(at, rows, sent, lost, ends[at])]


def _partition(at: places.At, rows: list[dict[str, Any]], sent: Set[At], lost: Set[At], end: int) -> Iterator[str]:
    rows.sort(key=lambda row: (row["from"], row["to"]))
    if rows[0]["from"] != 0 or rows[-1]["to"] != end:
        yield f"{at}: counted from {rows[0]['from']} to {rows[-1]['to']}, the log is [0, {end})"
    for one, other in pairwise(rows):
        if one["to"] != other["from"]:
            yield f"{at}: counted to {one['to']}, then from {other['from']}"
    for row in rows:
        offsets = {(*at, offset) for offset in range(row["from"], row["to"])}
        acked = len(offsets & sent - lost)
        placed = row["silver"] + row["quarantined"] + row["duplicates"]
        counts = {row["log"] - row["empty"], row["archived"], row["bronze"] + row["unread"], placed + row["unread"]}
        faults = (row["missing"], row["doubled"], row["unaccounted"])
        if counts != {acked} or any(faults) or row["gaps"] != len(offsets & lost):
            yield f"{at}: {acked} were acked, counted {row}"

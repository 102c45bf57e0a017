"""Do several things with Spark at once: most of a plan's time is the driver's, on one core, and a job of few rows has one task.

Data flow: work, items -> a thread per core -> results in the items' order
Run: pytest tests/infra/test_at_once.py
"""

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import reduce
from typing import TypeVar

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from infra.lake.writes import FEW_TEXTS, few

MOST_THREADS = 4
T = TypeVar("T")
R = TypeVar("R")


def at_once(session: SparkSession, work: Callable[[T], R], items: Iterable[T]) -> list[R]:
    """`work` of every item, in their order. A failure is raised when what has begun is done; what has not is left out."""
    with ThreadPoolExecutor(threads(session), "at-once") as pool:
        return list(pool.map(work, items))


def threads(session: SparkSession) -> int:
    """How many things to do at once: as many as there are cores, up to MOST_THREADS."""
    return min(MOST_THREADS, session.sparkContext.defaultParallelism)


def dealt(session: SparkSession, items: Sequence[T]) -> list[Sequence[T]]:
    """The items dealt out to as many threads; none is empty."""
    number = threads(session)
    return [hand for start in range(number) if (hand := items[start::number])]


def united(frames: Sequence[DataFrame]) -> DataFrame:
    """All rows of frames with the same columns."""
    return reduce(lambda one, other: one.unionByName(other), frames)


def few_of(session: SparkSession, frames: Sequence[DataFrame]) -> DataFrame | pa.Table:
    """`few` of the rows of all frames, of which there are at most FEW_TEXTS: a job per thread, each for some of the frames."""
    hands = [united(some).coalesce(1) for some in dealt(session, frames)]
    found = at_once(session, lambda rows: few(rows, most=FEW_TEXTS), hands)
    tables = [one for one in found if isinstance(one, pa.Table)]
    if len(tables) == len(found) and sum(one.num_rows for one in tables) <= FEW_TEXTS:
        return pa.concat_tables(tables)
    return united(frames)

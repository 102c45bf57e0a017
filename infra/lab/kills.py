"""When and where each consumer of the delivery lab is killed: drawn at random, and the same for the same seed.

Data flow: number of kills, seed -> one Kill per life of a consumer
Run: daybreak lab delivery --kills 20 --seed 1
"""

import random
from dataclasses import dataclass
from enum import StrEnum

BATCH = 10
"""Records that a consumer reads at a time."""
MOST_BATCHES = 3
"""A consumer is killed in its first, second or third batch."""


class Place(StrEnum):
    """Where in the work on a batch a consumer dies. Its two steps are to write the batch and to commit its offsets."""

    READ = "after reading"
    WRITING = "while writing"
    BETWEEN = "between the two steps"
    DONE = "after both steps"


@dataclass(frozen=True)
class Kill:
    """A consumer dies in its `batch`-th batch (from 1) at `place`; while writing, with `written` records written."""

    batch: int
    place: Place
    written: int


def kills(count: int, seed: int) -> list[Kill]:
    """`count` kills in random order. Each place occurs equally often, so that no seed leaves one out."""
    chance = random.Random(seed)
    places = [list(Place)[number % len(Place)] for number in range(count)]
    chance.shuffle(places)
    return [Kill(chance.randint(1, MOST_BATCHES), place, chance.randint(1, BATCH - 1)) for place in places]


def enough(count: int) -> int:
    """So many records that every one of `count` consumers still finds its MOST_BATCHES batches, and one finds the rest."""
    return (count + 1) * MOST_BATCHES * BATCH

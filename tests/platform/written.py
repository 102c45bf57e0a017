"""The shop's database under load: rows of products inserted, updated and deleted for as long as a test wants.

Data flow: seed -> SQL, in a thread -> how often what was done
Run: pytest tests/platform/every_part
"""

import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from random import Random

import psycopg
from running import Platform

from infra.failures import TransientFailure
from infra.shop.db.connection import connected

KEYS = 200


@contextmanager
def written(platform: Platform, seed: int) -> Iterator[Counter[str]]:
    """While the block runs the tables are written: inserted, updated, deleted; a server that is away is waited for."""
    over, done, chance = threading.Event(), Counter[str](), Random(seed)

    def write() -> None:
        while not over.is_set():
            try:
                with connected(platform.settings) as own:
                    while not over.wait(0.02):
                        key = f"p-9{chance.randrange(KEYS):05}"
                        if chance.random() < 0.2:
                            own.execute("DELETE FROM products WHERE product_id = %s", [key])
                        else:
                            own.execute(
                                "INSERT INTO products VALUES (%s, %s, 'soak', %s, NULL, NULL, now()) ON CONFLICT (product_id) DO "
                                "UPDATE SET title = excluded.title, price_cents = excluded.price_cents, changed_at = now()",
                                [key, f"title {chance.random()}", chance.randrange(1000)],
                            )
                        done["writes"] += 1
            except (TransientFailure, psycopg.Error) as away:
                done[type(away).__name__] += 1
                time.sleep(0.5)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        yield done
    finally:
        over.set()
        writer.join()

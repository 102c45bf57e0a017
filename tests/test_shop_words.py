"""The platform's own code of the speed layer knows no shop: which files still say a word of it, and that their number only falls.

Data flow: streaming/ without streaming/shop -> files with a word of the shop -> the list
Run: pytest tests/test_shop_words.py
"""

import re

from infra.settings import ROOT

WORD = re.compile(
    r"\b(orders|order_\w+|payments?|products?|customers?|clicks?|searches|shop|shop_\w+)\b", re.IGNORECASE
)
"""Words of the domain. `order` and `search` alone have another meaning in a query."""
LEFT = {
    # The shop's traffic, and its database's place in the log: commands that belong to the shop.
    "streaming/commands/lag.py",
    "streaming/commands/sent.py",
    "streaming/commands/webhooks.py",
    # Topics that only the order service writes: a contract could say who writes it.
    "streaming/own_writers.py",
    "streaming/sent_topics.py",
    "streaming/webhooks/topics.py",
    # The capture of a database, which lies in infra/shop/db and is no more the shop's than Debezium is.
    "streaming/debezium.py",
    "streaming/topics.py",
    "streaming/wrong_rows.py",
    # The comment of a column.
    "streaming/silver.py",
}
"""A file may leave this list, and none may join it."""


def said() -> set[str]:
    files = (file for ending in ("py", "java") for file in (ROOT / "streaming").rglob(f"*.{ending}"))
    found = {file.relative_to(ROOT).as_posix() for file in files if WORD.search(file.read_text())}
    return {name for name in found if not name.startswith("streaming/shop/")}


def test_no_file_of_the_platform_begins_to_know_the_shop() -> None:
    assert said() - LEFT == set()


def test_a_file_that_knows_it_no_longer_leaves_the_list() -> None:
    assert LEFT - said() == set()

"""The platform's own code knows no shop outside its rooms: which files still say a word of it, and that their number only falls.

Data flow: streaming/, batch/, dags/ without their rooms `shop` -> files with a word of the shop -> the list
Run: pytest tests/test_shop_words.py
"""

import re

from infra.settings import ROOT

WORD = re.compile(
    r"\b(orders|order_\w+|payments?|products?|customers?|clicks?|searches|shop|shop_\w+)\b", re.IGNORECASE
)
"""Words of the domain. `order` and `search` alone have another meaning in a query."""
LEFT = {
    # The capture of a database, which lies in infra/shop/db and is no more the shop's than Debezium is.
    "streaming/wrong_rows.py",
    # The comment of a column.
    "streaming/silver.py",
}
"""A file may leave this list, and none may join it."""


FLOORS, ROOM = ("streaming", "batch", "dags"), "shop"
EXAMPLE = re.compile(r"^Run: .*$", re.MULTILINE)
"""The command of a docstring can be run, so it names a topic or view of the project that comes along."""


def said() -> set[str]:
    files = [file for floor in FLOORS for ending in ("py", "java") for file in (ROOT / floor).rglob(f"*.{ending}")]
    names = {file.relative_to(ROOT): EXAMPLE.sub("", file.read_text()) for file in files}
    return {name.as_posix() for name, text in names.items() if name.parts[1] != ROOM and WORD.search(text)}


def test_no_file_of_the_platform_begins_to_know_the_shop() -> None:
    assert said() - LEFT == set()


def test_a_file_that_knows_it_no_longer_leaves_the_list() -> None:
    assert LEFT - said() == set()

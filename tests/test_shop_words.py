"""The platform's own code of stream, night and DAGs says no word of the shop: that is an example, in rooms of its own.

Data flow: streaming/, batch/, dags/ without their rooms `shop` -> files with a word of the shop -> none
Run: pytest tests/test_shop_words.py
"""

import re

from infra.settings import ROOT

WORD = re.compile(
    r"\b(orders|order_\w+|payments?|products?|customers?|clicks?|searches|shop|shop_\w+)\b", re.IGNORECASE
)
"""Words of the domain. `order` and `search` alone have another meaning in a query."""
FLOORS, ROOM = ("streaming", "batch", "dags"), "shop"
EXAMPLE = re.compile(r"^Run: .*$", re.MULTILINE)
"""The command of a docstring can be run, so it names a topic or view of the project that comes along."""


def said() -> set[str]:
    files = [file for floor in FLOORS for ending in ("py", "java") for file in (ROOT / floor).rglob(f"*.{ending}")]
    names = {file.relative_to(ROOT): EXAMPLE.sub("", file.read_text()) for file in files}
    return {name.as_posix() for name, text in names.items() if name.parts[1] != ROOM and WORD.search(text)}


def test_no_file_of_the_platform_knows_the_shop() -> None:
    assert said() == set()

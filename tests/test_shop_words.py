"""The platform's own code says no word of the shop, an example in rooms of its own.

Data flow: infra/, streaming/, batch/, dags/ without their rooms -> files with a word of it -> none
Run: pytest tests/test_shop_words.py
"""

import re

from infra.settings import ROOT

WORD = re.compile(
    r"\b(orders|order_(?!by\b)\w+|payments?|products?|customers?|clicks?|searches|shop|shop_\w+)\b", re.IGNORECASE
)
"""Words of the domain. `order` and `search` alone have another meaning in a query."""
FLOORS = ("infra", "streaming", "batch", "dags")
ROOM = re.compile(r"\w+/shop/|infra/lab/|infra/commands/labs/")
"""The shop's, one on each floor, and the labs, which show things by its orders."""
REGISTRY = "infra/registry.py"
"""The only door: it names the packages of projects that come along."""
EXAMPLE = re.compile(r"^Run: .*$", re.MULTILINE)
"""The command of a docstring can be run, so it names a topic or view of the project that comes along."""


def said() -> set[str]:
    files = [file for floor in FLOORS for ending in ("py", "java") for file in (ROOT / floor).rglob(f"*.{ending}")]
    names = {file.relative_to(ROOT): EXAMPLE.sub("", file.read_text()) for file in files}
    return {
        name.as_posix() for name, text in names.items() if not ROOM.match(name.as_posix()) and WORD.search(text)
    } - {REGISTRY}


def test_no_file_of_the_platform_knows_the_shop() -> None:
    assert said() == set()


def test_the_registry_names_packages_and_says_no_word_more() -> None:
    text = EXAMPLE.sub("", (ROOT / REGISTRY).read_text())
    (said,) = [line for line in text.splitlines() if WORD.search(line)]
    assert said.startswith("REGISTERED = ")
    assert WORD.findall(said) == ["shop"] * 2

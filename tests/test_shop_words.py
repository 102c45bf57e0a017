"""The platform's own code says no word of the shop, an example in rooms of its own; on the ground floor some files still do.

Data flow: infra/, streaming/, batch/, dags/ without their rooms -> files with a word of it -> the list, which only gets shorter
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
LEFT = {
    "users and roles of these programs, with what each may do": (
        "infra/commands/kafka_lines.py",
        "infra/commands/postgres_lines.py",
        "infra/kafka/rights.py",
        "infra/kafka_users.py",
        "infra/postgres_rights.py",
        "infra/postgres_roles.py",
        "infra/services/roles.py",
    ),
}
"""Why -> the files. A file may leave this list, and none may join it."""


def said() -> set[str]:
    files = [file for floor in FLOORS for ending in ("py", "java") for file in (ROOT / floor).rglob(f"*.{ending}")]
    names = {file.relative_to(ROOT): EXAMPLE.sub("", file.read_text()) for file in files}
    return {
        name.as_posix() for name, text in names.items() if not ROOM.match(name.as_posix()) and WORD.search(text)
    } - {REGISTRY}


def test_no_file_of_the_platform_begins_to_know_the_shop() -> None:
    assert said() - {file for files in LEFT.values() for file in files} == set()


def test_the_registry_names_packages_and_says_no_word_more() -> None:
    text = EXAMPLE.sub("", (ROOT / REGISTRY).read_text())
    (said,) = [line for line in text.splitlines() if WORD.search(line)]
    assert said.startswith("REGISTERED = ")
    assert WORD.findall(said) == ["shop"] * 2


def test_a_file_that_knows_it_no_longer_leaves_the_list() -> None:
    assert {file for files in LEFT.values() for file in files} - said() == set()

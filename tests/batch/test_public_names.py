"""The page of public names: what projects import is on it, and each name has types and says what it is."""

import ast
import inspect
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from batch.catalog.public_names import PUBLIC, page
from infra.settings import ROOT

NAMES = [(module, name) for module, names in PUBLIC.items() for name in names]
PROJECTS = ("streaming/shop/contracts", "streaming/shop/views", "streaming/starter", "tests/sensors")
PARTS = ("contracts", "views", "tests")
"""Of a project; what is beside them in our tests is no team's."""
OF_ITS_OWN = {
    "streaming.contracts",
    "streaming.views",
    "streaming.project_code",
    "infra.shop.options",
    "infra.settings",
}
"""What only the project that comes along takes, beside the modules of a project itself."""


def imported(folder: str) -> Iterator[tuple[str, str, str]]:
    root = Path(ROOT, folder)
    for file in (one for one in sorted(root.rglob("*.py")) if {one.stem, one.parent.name} & {*PARTS}):
        for one in ast.walk(ast.parse(file.read_text())):
            if isinstance(one, ast.ImportFrom) and (one.module or "").partition(".")[0] in (
                "streaming",
                "infra",
                "batch",
            ):
                yield from ((str(file.relative_to(ROOT)), str(one.module), name.name) for name in one.names)


@pytest.mark.parametrize("folder", PROJECTS)
def test_what_a_project_imports_is_on_the_page(folder: str) -> None:
    found = {
        (file, module, name)
        for file, module, name in imported(folder)
        if not module.startswith("streaming.shop") and module not in OF_ITS_OWN
    }
    assert {one for one in found if one[1:] not in NAMES} == set()
    assert found


@pytest.mark.parametrize(("module", "name"), NAMES, ids=".".join)
def test_a_public_name_has_types(module: str, name: str) -> None:
    found = getattr(import_module(module), name)
    if inspect.isfunction(found):
        signature = inspect.signature(found)
        assert all(one.annotation is not inspect.Parameter.empty for one in signature.parameters.values())
        assert signature.return_annotation is not inspect.Signature.empty
    assert f"{name}" in page()


def test_the_page_says_what_a_field_is_and_hides_addresses() -> None:
    made = page()
    assert "- `closes`: When the row can no longer appear or change, in SQL over its columns" in made
    assert "versions(changes: DataFrame, *key: str) -> DataFrame" in made
    assert " at 0x" not in made
    assert str(ROOT) not in made

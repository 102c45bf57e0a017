"""The promises of the design that a reader cannot check at a glance: one definition, one direction, nothing forgotten."""

import ast
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
import yaml

from infra.lake.tables import WRITERS
from infra.settings import ROOT
from streaming import project
from streaming.contracts import CONTRACTS
from streaming.views import VIEWS

LAYERS = ("infra", "streaming", "batch", "dags")
"""Each may import itself and those before it; a DAG imports nothing of ours, its tasks are commands."""

STREAM_ONLY = {
    "withWatermark": set(),
    "trigger": {"streaming/micro_batch/query.py"},
    "checkpointLocation": {"streaming/micro_batch/query.py"},
    "readStream": {"streaming/micro_batch/query.py"},
    "writeStream": {"streaming/micro_batch/query.py"},
}
"""Where each word of Spark's streaming may stand in code."""

SOURCES = [path for layer in LAYERS for path in sorted((ROOT / layer).rglob("*.py"))]


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@cache
def parsed(path: Path) -> ast.Module:
    """A file as a tree: a hundred tests ask."""
    return ast.parse(path.read_text())


def imports(path: Path) -> Iterator[str]:
    """Top-level packages that a file imports, wherever in it."""
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{name(path)}: relative import"
            yield (node.module or "").split(".")[0]


def words(path: Path) -> set[str]:
    """Attributes that are called, and strings, except docstrings: what the code does, not what it says about itself."""
    found: set[str] = set()
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Attribute):
            found.add(node.attr)
        elif isinstance(node, ast.Call):
            found |= {arg.value for arg in node.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str)}
    return found


@cache
def models(folder: str) -> dict[str, dict[str, object]]:
    """The entries of a folder's YAML: models by name, sources as layer.table."""
    found: dict[str, dict[str, object]] = {}
    for file in sorted((ROOT / "dbt" / "models" / folder).glob("*.yml")):
        content = yaml.safe_load(file.read_text())
        found |= {model["name"]: model for model in content.get("models", [])}
        for source in content.get("sources", []):
            found |= {f"{source['name']}.{table['name']}": table for table in source["tables"]}
    return found


@pytest.mark.parametrize("path", SOURCES, ids=name)
def test_imports_follow_the_data(path: Path) -> None:
    own = LAYERS.index(path.relative_to(ROOT).parts[0])
    allowed = {"dags"} if LAYERS[own] == "dags" else set(LAYERS[: own + 1])
    assert set(imports(path)) & set(LAYERS) <= allowed


ROOM = re.compile(r"`(\w+)/`")


@cache
def rooms(floor: str) -> list[str]:
    """The rooms of a floor, in the order of its README's table."""
    lines = (ROOT / floor / "README.md").read_text().split("## Rooms")[1].split("\n## ")[0].splitlines()
    return [room for line in lines if line.startswith("|") for room in ROOM.findall(line.split("|")[1])]


@pytest.mark.parametrize("floor", ["streaming", "batch"])
def test_every_room_is_on_its_floors_map(floor: str) -> None:
    there = {path.parent.relative_to(ROOT / floor).parts[0] for path in (ROOT / floor).glob("*/*.py")}
    assert sorted(rooms(floor)) == sorted(there)


IN_ROOMS = [
    path for path in SOURCES if path.relative_to(ROOT).parts[0] in ("streaming", "batch") and path.parent.parent != ROOT
]


@pytest.mark.parametrize("path", IN_ROOMS, ids=name)
def test_a_room_imports_only_those_above_it(path: Path) -> None:
    floor, room = path.relative_to(ROOT).parts[:2]
    order = rooms(floor)
    modules = [node.module or "" for node in ast.walk(parsed(path)) if isinstance(node, ast.ImportFrom)]
    seen = {module.split(".")[1] for module in modules if module.startswith(f"{floor}.")} & {*order}
    assert sorted(one for one in seen if order.index(one) > order.index(room)) == []


@pytest.mark.parametrize("word", STREAM_ONLY)
def test_streaming_words_stand_in_the_streams_driver_only(word: str) -> None:
    assert {name(path) for path in SOURCES if word in words(path)} == STREAM_ONLY[word]


def test_infra_knows_no_topic() -> None:
    platform = [
        path for path in SOURCES if name(path).startswith("infra/") and not name(path).startswith("infra/shop/")
    ]
    said = {name(path): set(CONTRACTS) & set(re.findall(r"\w+", path.read_text())) for path in platform}
    # Examples of command lines in docstrings and help texts name a topic; code does not.
    known = {path: found & words(ROOT / path) for path, found in said.items()}
    assert {path: found for path, found in known.items() if found} == {}


@pytest.mark.parametrize("path", SOURCES, ids=name)
def test_a_table_is_named_by_its_owner_only(path: Path) -> None:
    """`Table("silver", "events")` is the owner's; everyone else takes its `id` or `sql`."""
    known = {form for source in models("sources") for form in (source, source.replace(".", "/"))}
    strings = {node.value for node in ast.walk(parsed(path)) if isinstance(node, ast.Constant)}
    assert not known & strings


def test_infra_knows_no_view() -> None:
    for path in (path for path in SOURCES if name(path).startswith("infra/")):
        assert not set(VIEWS) & set(re.findall(r"\w+", path.read_text())), name(path)


def test_the_night_knows_no_view_and_no_topic_by_name() -> None:
    for path in (path for path in SOURCES if name(path).startswith("batch/")):
        assert not {*VIEWS, *CONTRACTS} & words(path), name(path)


def test_no_view_reads_a_clock_or_keeps_a_state() -> None:
    for path in (path for path in SOURCES if name(path).startswith(("streaming/views/", "streaming/shop/views/"))):
        assert not {"now", "current_timestamp", "rand", "uuid", "collect", "write", "load", "withWatermark"} & words(
            path
        )


@pytest.mark.parametrize("topic", CONTRACTS)
def test_a_topic_has_examples_of_its_events(topic: str) -> None:
    assert (project.examples() / topic).is_dir()


def test_every_layer_has_one_writer_and_its_sources_are_described() -> None:
    assert {source.split(".")[0] for source in models("sources")} == set(WRITERS) - {"gold"}


def test_every_file_says_what_it_is() -> None:
    for path in SOURCES:
        said = ast.get_docstring(ast.parse(path.read_text())) or ""
        assert said, name(path)
        if path.name != "__init__.py":
            assert re.search(r"\n\nData flow: .+\nRun: .+", said, re.DOTALL), name(path)
            assert len(path.read_text().splitlines()) <= 220, name(path)


def test_there_is_no_package_where_one_would_hide_another() -> None:
    assert not [name(path) for folder in ("tests", "dbt") for path in (ROOT / folder).rglob("__init__.py")]


def test_no_module_of_the_night_hides_one_of_pythons() -> None:
    """spark-submit runs `batch/__main__.py` with its folder first on the path: a `profile.py` there stops every import."""
    hidden = {path.stem for path in (ROOT / "batch").glob("*.py")} & set(sys.stdlib_module_names)
    assert hidden <= {"__main__"}


def test_a_tests_name_has_at_most_twelve_words() -> None:
    tests = (ROOT / "tests").rglob("test_*.py")
    names = {found for path in tests for found in re.findall(r"^def test_(\w+)", path.read_text(), re.MULTILINE)}
    assert [found for found in names if len(found.split("_")) > 12] == []

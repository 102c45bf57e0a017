"""What executors unpack: all of our packages with the files beside the code, the same for the same tree. None of their
neighbours: an installed platform lies among hundreds."""

import zipfile
from pathlib import Path

import pytest

from infra.project import Place
from infra.settings import ROOT
from infra.shipped_code import KEPT, packed


def tree(folder: Path, text: str) -> Path:
    for package in ("infra", "streaming", "elsewhere"):
        (folder / package / "__pycache__").mkdir(parents=True, exist_ok=True)
        (folder / package / "__init__.py").write_text(text)
        (folder / package / "__pycache__" / "left.pyc").write_text("")
    (folder / "tests").mkdir(exist_ok=True)
    (folder / "tests" / "test_one.py").write_text("")
    return folder


def test_it_has_every_package_and_the_schemas_beside_them(tmp_path: Path) -> None:
    with zipfile.ZipFile(packed(tmp_path)) as archive:
        names = archive.namelist()
    assert {name.split("/")[0] for name in names} == {"batch", "infra", "streaming"}
    schemas = {str(file.relative_to(ROOT)) for file in (ROOT / "streaming").rglob("*.avsc")}
    assert schemas
    assert schemas < {*names}
    assert not [name for name in names if "__pycache__" in name]


@pytest.mark.parametrize("module", ["mine", "mine.sensors"])
def test_a_projects_whole_package_is_beside_ours(tmp_path: Path, module: str) -> None:
    own = tmp_path / "elsewhere"
    for name in ("mine/sensors/views.py", "mine/units.py", "mine/sensors/schemas/readings.v1.avsc"):
        (own / name).parent.mkdir(parents=True, exist_ok=True)
        (own / name).write_text("")
    for name in ("mine/.venv/lib/a.py", "mine/sensors/__pycache__/views.pyc", "mine/tests/test_views.py"):
        (own / name).parent.mkdir(parents=True)
        (own / name).write_text("")
    place = Place(module, own / module.replace(".", "/"), own)
    with zipfile.ZipFile(packed(tmp_path / "into", tree(tmp_path / "a", "1"), place)) as archive:
        assert {*archive.namelist()} == {
            *("infra/__init__.py", "streaming/__init__.py"),
            *("mine/sensors/views.py", "mine/units.py", "mine/sensors/schemas/readings.v1.avsc"),
        }


def test_the_same_tree_gives_the_same_file(tmp_path: Path) -> None:
    first = packed(tmp_path / "into", tree(tmp_path / "a", "1"))
    content = first.read_bytes()
    assert packed(tmp_path / "into", tree(tmp_path / "b", "1")) == first
    assert first.read_bytes() == content
    assert packed(tmp_path / "into", tree(tmp_path / "b", "2")) != first


def test_only_the_newest_are_kept(tmp_path: Path) -> None:
    made = [packed(tmp_path / "into", tree(tmp_path / "a", str(number))) for number in range(KEPT + 2)]
    assert not made[0].exists()
    assert len([*(tmp_path / "into").iterdir()]) == KEPT
    assert made[-1].exists()

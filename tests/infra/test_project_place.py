"""Where a project is: a module that can be imported, or a folder; and each home has the data of one."""

import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from infra.failures import PermanentFailure
from infra.project import Place, importable, keep, place, python_path
from infra.services.program import settings_env, shared_env
from infra.settings import ROOT, Settings, load


def of(project: str, home: Path | None = None) -> Settings:
    return Settings(project=project, **({"home": home} if home else {}))


def test_by_default_it_is_the_shop() -> None:
    assert place(Settings()) == Place("streaming.shop", ROOT / "streaming" / "shop", ROOT)
    assert python_path(Settings()) == str(ROOT)


def test_a_folder_is_a_module_of_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine").mkdir()
    monkeypatch.chdir(tmp_path)
    for said in ("./mine", "mine/", str(tmp_path / "mine")):
        assert place(of(said)) == Place("mine", tmp_path / "mine", tmp_path)
    assert python_path(of("./mine")) == f"{ROOT}:{tmp_path}"


def test_a_module_is_found_on_pythons_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "theirs_of_place" / "sensors").mkdir(parents=True)
    monkeypatch.syspath_prepend(tmp_path)
    found = place(of("theirs_of_place.sensors"))
    assert found == Place("theirs_of_place.sensors", tmp_path / "theirs_of_place" / "sensors", tmp_path)
    assert found.package == tmp_path / "theirs_of_place"


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("nowhere_at_all", "there is no module `nowhere_at_all`"),
        ("./nowhere", "it is no folder"),
        ("./my-project", "`my-project` is no name for one"),
        ("./streaming", "has the name of another package, `streaming`"),
        ("json.decoder", "`json.decoder` .* is one file"),
    ],
)
def test_what_is_no_project_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str, why: str
) -> None:
    for name in ("my-project", "streaming"):
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(PermanentFailure, match=why):
        place(of(said))


def test_a_home_has_the_data_of_one_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine").mkdir()
    home = tmp_path / "home"
    keep(of(str(tmp_path / "mine"), home))
    with pytest.raises(
        PermanentFailure, match=r"has the data of the project .*mine, and DAYBREAK_PROJECT names streaming.shop"
    ):
        keep(of("streaming.shop", home))
    monkeypatch.setenv("DAYBREAK_HOME", str(home))
    monkeypatch.delenv("DAYBREAK_PROJECT")
    assert load().project == str(tmp_path / "mine"), "every later command knows it"


def test_a_home_of_before_has_the_shops_data(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "home" / "kafka").mkdir(parents=True)
    with pytest.raises(PermanentFailure, match=r"has the data of the project streaming\.shop"):
        keep(of(str(tmp_path / "mine"), tmp_path / "home"))
    keep(of("streaming.shop", tmp_path / "home"))


def test_an_option_of_the_shop_is_refused_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    own = of(str(tmp_path / "mine"), tmp_path / "home").model_copy(update={"options": "shop-db"})
    with pytest.raises(PermanentFailure, match="shop-db is an option of the shop"):
        keep(own)
    keep(own.model_copy(update={"options": "webhooks"}))


def test_every_program_gets_it_wherever_it_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DAYBREAK_PROJECT", "./mine")
    env = shared_env(load()) | settings_env()
    assert env["DAYBREAK_PROJECT"] == str(tmp_path / "mine")
    assert env["PYTHONPATH"] == f"{ROOT}:{tmp_path}"


def test_a_room_of_the_night_hides_no_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """spark-submit runs `batch/__main__.py` with its folder first on the path."""
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "__init__.py").touch()
    for said in (str(tmp_path / "shop"), "shop"):
        with monkeypatch.context() as started:
            started.setattr(sys, "path", [str(ROOT / "batch"), *([str(tmp_path)] if said == "shop" else []), *sys.path])
            own = place(of(said))
            importable(own)
            found = find_spec("shop")
        assert own.folder == tmp_path / "shop"
        assert found
        assert found.origin == str(tmp_path / "shop" / "__init__.py")

"""What set-up fetches from Maven is as the committed list says, byte for byte, or is not installed."""

from pathlib import Path

import pytest

from infra.setup import compiled, connect, jar_list, jars, pins, queue
from infra.setup.step import SetupFailure


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with two files, and beside it the list that names them."""
    files = tmp_path / "some"
    files.mkdir()
    for name in ("a-1.jar", "b-2.jar"):
        (files / name).write_bytes(name.encode() * 1000)
    listed = [
        pins.Pin(file.name, f"org:{file.stem}:1", ("MIT",), pins.sha256(file)) for file in sorted(files.iterdir())
    ]
    (tmp_path / "jars.lock").write_text("\n".join(jar_list.written("some", listed)))
    return files


def checked(folder: Path) -> None:
    pins.check("some", folder.iterdir(), folder.parent / "jars.lock")


def test_files_as_listed_are_taken(folder: Path) -> None:
    checked(folder)


def test_a_jar_with_one_byte_changed_is_refused(folder: Path) -> None:
    jar = folder / "b-2.jar"
    expected, content = pins.sha256(jar), bytearray(jar.read_bytes())
    content[700] ^= 1
    jar.write_bytes(content)
    with pytest.raises(
        SetupFailure, match=rf"b-2\.jar .* {pins.sha256(jar)}, and {expected} .* Run `make setup` again"
    ):
        checked(folder)


def test_a_jar_that_is_not_listed_is_refused(folder: Path) -> None:
    (folder / "c-3.jar").write_bytes(b"c")
    with pytest.raises(SetupFailure, match=r"c-3\.jar .* is not in infra/jars\.lock.*make lock-jars"):
        checked(folder)


def test_a_listed_jar_that_did_not_come_is_named(folder: Path) -> None:
    (folder / "a-1.jar").unlink()
    with pytest.raises(SetupFailure, match=r"a-1\.jar of 'some' .* was not fetched"):
        checked(folder)


def test_of_jars_that_are_refused_none_stays(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pins, "pinned", lambda configuration, listed: {})
    with pytest.raises(SetupFailure, match="is not in"):
        jars.accept("some", folder)
    assert not folder.exists()


def test_jars_that_are_there_as_listed_are_not_fetched_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    listed = pins.pinned("some", folder.parent / "jars.lock")
    monkeypatch.setattr(pins, "pinned", lambda configuration, where: dict(listed))
    monkeypatch.setattr(jars, "JARS", folder.parent)
    monkeypatch.setattr(jars, "retrieve", lambda *_: pytest.fail("it asked Ivy"))
    jars.fetch("some")


@pytest.mark.parametrize("configuration", jars.CONFIGURATIONS)
def test_the_list_names_exactly_the_jars_that_are_installed(configuration: str) -> None:
    assert {jar.name for jar in jars.fetched(configuration)} == set(pins.pinned(configuration))


def test_the_list_has_every_file_that_a_set_up_asks_for() -> None:
    assert pins.configurations() == [one.configuration for one in jar_list.ALL]
    for one in (*jars.CONFIGURATIONS, connect.CONFIGURATION):
        doubles = {jars.artifact(jar.name) for jar in jars.pyspark_jars().glob("*.jar")} if one == "spark" else set()
        assert {jar for jar in jars.wanted(one) if jars.artifact(jar) not in doubles} <= set(pins.pinned(one))
    for one, file in (("compiler", compiled.IVY_FILE), (queue.NAME, queue.IVY_FILE)):
        (pin,) = pins.pinned(one).values()
        _, name, version = pin.module.split(":")
        assert f'name="{name}" rev="{version}"' in file.read_text()


@pytest.mark.parametrize(
    ("said", "short"),
    [
        ("The Apache Software License, Version 2.0", "Apache-2.0"),
        ("Apache License 2.0", "Apache-2.0"),
        ("Apache-2.0", "Apache-2.0"),
        ("The MIT License", "MIT"),
        ("Eclipse Public License - v 2.0", "Eclipse Public License - v 2.0"),
    ],
)
def test_a_usual_licence_has_its_short_name(said: str, short: str) -> None:
    assert jar_list.licence(said) == short

"""Programs in Go are built of the modules that are listed with their hashes, and of no other version."""

from dataclasses import replace
from pathlib import Path

import pytest

from infra.setup import go_build, go_lock, licence_text, promtool, store
from infra.setup.go_build import Program

each = pytest.mark.parametrize("program", go_lock.PROGRAMS, ids=lambda program: program.name)


@each
def test_go_mod_names_the_version_that_is_built(program: Program) -> None:
    lines = (program.lock / "go.mod").read_text().split("\n")
    assert f"tool {program.package}" in lines
    required = {tuple(line.removeprefix("require").split()[:2]) for line in lines if " v" in line}
    assert [version for module, version in required if program.package.startswith(module)] == [program.version]
    assert {tuple(module.split("@")) for module in program.data} <= required
    (oldest,) = [line.removeprefix("go ").split(".") for line in lines if line.startswith("go ")]
    assert (int(oldest[0]), int(oldest[1])) == program.oldest_go


@each
def test_every_module_of_a_build_has_its_hash(program: Program) -> None:
    sums = {tuple(line.split()[:2]) for line in (program.lock / "go.sum").read_text().splitlines()}
    used = {tuple(line.split()[:2]) for line in (program.lock / "modules.txt").read_text().splitlines()}
    assert used
    assert used <= sums


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[list[str]]:
    """The commands of Go that a build would run, each with the flags of its environment at its end."""
    found: list[list[str]] = []
    monkeypatch.setattr(go_build, "_go", lambda oldest, tools: "go")
    monkeypatch.setattr(go_build, "STATE", tmp_path)
    monkeypatch.setattr(go_build, "BIN", tmp_path / "bin")
    monkeypatch.setattr(go_build, "call", lambda command, what, env: found.append([*map(str, command), env["GOFLAGS"]]))
    return found


def test_a_build_takes_no_module_that_is_not_listed(said: list[list[str]]) -> None:
    go_build.install(store.VERSITYGW)
    (command,) = said
    assert "-mod=readonly" in command
    assert command[command.index("-C") + 1] == str(store.VERSITYGW.lock)
    assert "-mod=mod" not in command[-1]


def test_a_build_leaves_out_what_its_tags_say(said: list[list[str]]) -> None:
    go_build.install(promtool.PROMTOOL)
    go_build.install(store.VERSITYGW)
    tagged, plain = said
    assert tagged[tagged.index("-tags") + 1] == "remove_all_sd"
    assert "-tags" not in plain


def test_modules_that_tags_leave_out_are_not_among_those_used() -> None:
    resolved, used = ((promtool.PROMTOOL.lock / name).read_text() for name in ("go.mod", "modules.txt"))
    assert "github.com/hetznercloud/hcloud-go" in resolved
    assert "github.com/hetznercloud/hcloud-go" not in used


def test_a_build_begins_without_what_a_killed_one_left(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    half = tmp_path / "cache" / f"go-{store.VERSITYGW.name}" / "modules" / "half"
    half.mkdir(parents=True)
    monkeypatch.setattr(go_build, "_go", lambda oldest, tools: "go")
    monkeypatch.setattr(go_build, "STATE", tmp_path)
    with go_build.ready(store.VERSITYGW):
        assert not half.exists()


def test_another_hash_builds_the_program_anew(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    before = store.VERSITYGW.said()
    monkeypatch.setattr(go_build, "LOCKS", tmp_path)
    (tmp_path / store.VERSITYGW.name).mkdir()
    for name in ("go.mod", "go.sum"):
        (tmp_path / store.VERSITYGW.name / name).write_text("other")
    assert store.VERSITYGW.said() != before


def test_other_tags_build_the_program_anew() -> None:
    assert replace(promtool.PROMTOOL, tags=()).said() != promtool.PROMTOOL.said()


@pytest.mark.parametrize(
    ("text", "licences"),
    [
        ("Apache License\n  Version 2.0, January 2004", {"Apache-2.0"}),
        ("Permission is hereby granted, free of charge, to any person\nobtaining a copy", {"MIT"}),
        ("GNU AFFERO GENERAL PUBLIC LICENSE\nVersion 3 ... GNU Lesser General Public License version 3", {"AGPL-3.0"}),
        (licence_text.BSD + " provided ... Neither the name of Google", {"BSD-3-Clause"}),
        (licence_text.BSD + " provided that", {"BSD-2-Clause"}),
        ("All rights reserved.", set()),
    ],
)
def test_a_licence_is_known_by_its_own_sentence(text: str, licences: set[str]) -> None:
    assert licence_text.named(text) == licences

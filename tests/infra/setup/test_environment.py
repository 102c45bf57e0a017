"""The virtual environment: set-up empties none that others use."""

from pathlib import Path

import pytest

from infra.setup import environment
from infra.setup.step import SetupFailure


def test_an_environment_that_is_a_link_is_not_emptied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    others = tmp_path / "others"
    others.mkdir()
    (others / "python").touch()
    (tmp_path / ".venv").symlink_to(others)
    monkeypatch.setattr(environment, "VENV", tmp_path / ".venv")
    with pytest.raises(SetupFailure, match="is a link"):
        environment.INSTALLER.install()
    assert (others / "python").exists()

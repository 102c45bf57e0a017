"""The day that the tests of this folder explain."""

from pathlib import Path

import pytest
from explained import fill, is_at, tables


@pytest.fixture(scope="session")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A day that was settled twice, in a folder."""
    folder = tmp_path_factory.mktemp("explained")
    with pytest.MonkeyPatch.context() as patch:
        is_at(folder, patch)
        fill(tables())
    return folder


@pytest.fixture
def settled(written: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The lake is that folder, and is only read."""
    is_at(written, monkeypatch)

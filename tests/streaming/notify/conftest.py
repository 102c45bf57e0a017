"""What goes out needs no Spark."""

import pytest


@pytest.fixture(scope="package", autouse=True)
def compiled() -> None:
    """In place of the one of the folder above, which starts a session."""

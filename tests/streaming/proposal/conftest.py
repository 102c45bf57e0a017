"""No Spark here: a proposal is a function of records."""

import pytest


@pytest.fixture(scope="package", autouse=True)
def compiled() -> None:
    """Nothing is compiled."""

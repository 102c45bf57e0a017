"""No Spark here: masking and the sample are made without it."""

import pytest


@pytest.fixture(scope="package", autouse=True)
def compiled() -> None:
    """Nothing is compiled."""

"""The versions of the registries as they are, planned once for each state of them: a test asks at every step.

Data flow: CONTRACTS, VIEWS -> `definitions`, where these very objects were not asked about before
Run: pytest tests/batch/test_reconcile.py
"""

from collections.abc import Mapping

from pyspark.sql import SparkSession

from streaming.versions import definitions

_KNOWN: dict[tuple[int, ...], tuple[list[object], Mapping[str, str]]] = {}
"""By the objects' identities; the objects are kept, so that no other gets an identity of theirs."""


def in_force(spark: SparkSession) -> Mapping[str, str]:
    """As `definitions`. Not for a test that changes what a contract or a view calls."""
    # As that module sees them: a test may give it others.
    objects: list[object] = [*definitions.CONTRACTS.values(), *definitions.VIEWS.values()]
    of = tuple(map(id, objects))
    if of not in _KNOWN:
        _KNOWN[of] = objects, definitions.definitions(spark)
    return dict(_KNOWN[of][1])

"""What gold's queries must be so that Spark may put each common table expression where its name stands.

Data flow: dbt compile -> every query -> names of its common table expressions
Run: pytest tests/dbt/test_queries.py
"""

import re
from collections import Counter
from collections.abc import Sequence

import pytest
from offline_gold import Compiled


@pytest.mark.slow
def test_no_name_stands_for_two_things_in_a_query(nodes: Sequence[Compiled]) -> None:
    for node in nodes:
        names = Counter(re.findall(r"(?:\bwith|,)\s+(?:--[^\n]*\n\s*)*(\w+) as \(", node.sql))
        assert not [name for name, times in names.items() if times > 1], node.name

"""Keep what a golden day says now as what is expected of it.

Data flow: a folder's records -> expected.jsonl beside them
Run: python -m streaming.golden tests/day
"""

import sys

from infra.failures import PermanentFailure, reported

if __name__ == "__main__":
    with reported():
        if len(sys.argv) != 2:
            raise PermanentFailure(
                "which folder? daybreak sample --to tests/day writes one: python -m streaming.golden tests/day"
            )
        # Imported here, so that a project that does not load is one sentence.
        from streaming.testing import golden_day

        print(golden_day(sys.argv[1]).expect())

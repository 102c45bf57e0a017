"""Mistakes in golden days: what a sample takes, and what it hides.

Data flow: streaming/golden -> Mutation
Run: python -m tests.mutations golden
"""

from tests.mutations.mutation import Mutation

SAMPLE = "tests/streaming/golden/test_sample.py"
MASKING = "tests/streaming/golden/test_masking.py"

GOLDEN = (
    Mutation(
        "golden: a conflict comes without the event that it repeats",
        "streaming/golden/sample.py",
        'row["event_id"] in ids',
        'row["event_id"]',
        f"{SAMPLE}::test_a_conflict_comes_with_its_event_only",
    ),
    Mutation(
        "golden: keys that other topics name are left out",
        "streaming/golden/sample.py",
        "key in one.payload.fieldNames()",
        "key == one.key",
        f"{SAMPLE}::test_it_is_the_same_keys_each_time_and_of_joined_topics_too",
    ),
    Mutation(
        "golden: a rejected record that cannot be masked is given as it is",
        "streaming/golden/sample.py",
        "if not isinstance(event, dict):\n            return None",
        "if not isinstance(event, dict):\n            return Record(contract.topic, key, arrival, None, value)",
        f"{SAMPLE}::test_nothing_is_left_of_what_is_masked",
    ),
    Mutation(
        "golden: a misspelt field is given as it is",
        "streaming/golden/masking.py",
        "if contract.masked and name not in known",
        "if contract.masked and name in known",
        f"{MASKING}::test_what_the_contract_does_not_name_stays_and_unknown_fields_do_not",
    ),
    Mutation(
        "golden: pseudonyms are the same in every home",
        "streaming/golden/masking.py",
        "(self._key.hex().encode(), hex(value).encode(), tweak)",
        "(hex(value).encode(), tweak)",
        f"{MASKING}::test_a_pseudonym_is_the_same_each_time_and_needs_the_key",
    ),
    Mutation(
        "golden: two values of one form have one pseudonym",
        "streaming/golden/masking.py",
        "left, right = right, left ^ self._hash",
        "left, right = right, self._hash",
        f"{MASKING}::test_values_of_one_form_never_meet",
    ),
    Mutation(
        "golden: the watermark passes events that are still to come",
        "streaming/golden/both_layers.py",
        "min(reached, coming or reached)",
        "reached",
        "tests/streaming/golden/test_cut.py::test_no_event_that_counts_is_behind_the_watermark",
    ),
)

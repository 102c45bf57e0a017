"""Mistakes in what is proposed of a topic's records.

Data flow: streaming/proposal -> Mutation
Run: python -m tests.mutations proposal
"""

from tests.mutations.mutation import Mutation

INFER = "tests/streaming/proposal/test_infer.py"

PROPOSED = (
    Mutation(
        "proposal: what half of the events lack is required",
        "streaming/proposal/infer.py",
        ">= MOSTLY * count",
        ">= count / 2",
        f"{INFER}::test_what_is_missing_or_null_in_many_is_not_required",
    ),
    Mutation(
        "proposal: the same id in all records is an id",
        "streaming/proposal/guesses.py",
        "share = len(set(texts)) / len(objects)",
        "share = len(texts) / len(objects)",
        f"{INFER}::test_one_record_again_and_again_is_told_as_it_is",
    ),
    Mutation(
        "proposal: a name that is no identifier becomes a column",
        "streaming/proposal/names.py",
        "if _NAME.fullmatch(name) and (",
        "if (",
        f"{INFER}::test_names_that_are_no_columns_are_left_out_with_a_reason",
    ),
    Mutation(
        "proposal: a share that lacks one record is told as all",
        "streaming/proposal/render.py",
        'if shown == "100.0%" and part < 1',
        'if shown == "100.0%" and part < 0',
        f"{INFER}::test_a_share_is_never_all_if_one_is_missing",
    ),
    Mutation(
        "proposal: the oldest records are read",
        "streaming/proposal/newest.py",
        "max(low, high - each)",
        "low",
        "tests/streaming/proposal/test_from_topic.py::test_the_newest_records_are_read_and_no_more",
    ),
)

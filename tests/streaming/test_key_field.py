"""`daybreak send` keys a record by the field that the topic's contract names."""

import pytest

from infra.failures import PermanentFailure
from streaming.commands.send import key_field
from streaming.contracts import CONTRACTS


@pytest.mark.parametrize("topic", CONTRACTS)
def test_a_topic_is_keyed_as_its_contract_says(topic: str) -> None:
    assert key_field(topic) == CONTRACTS[topic].key


def test_a_topic_without_a_contract_is_refused() -> None:
    with pytest.raises(PermanentFailure, match="'other' is no topic of the platform"):
        key_field("other")

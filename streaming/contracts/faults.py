"""What a contract names has to be there: otherwise nothing would ever be accepted, or Spark would say it, long after the start.

Data flow: Contract -> nothing, or ValueError with a sentence
Run: pytest tests/streaming/test_declared.py
"""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from streaming.contracts.contract import Contract, Version

TOPIC_NAME = "[a-zA-Z0-9._-]{1,249}"
"""What Kafka takes as the name of a topic."""
CHANGES = {"c", "u", "d"}
"""The changes of a captured row that become events: created, updated, deleted."""


def check_names(contract: "Contract") -> None:
    """Raise ValueError for the first fault."""
    if first := next(_faults(contract), None):
        raise ValueError(f"contract {contract.topic}: {first}")


def _faults(contract: "Contract") -> Iterator[str]:
    fields, captured = contract.payload.fieldNames(), contract.captured
    if not re.fullmatch(TOPIC_NAME, contract.topic):
        yield "Kafka takes a topic of at most 249 letters, digits, dots, hyphens and _"
    if not contract.required:
        yield "`required` names no event type, so every record would be rejected"
    if twice := sorted({name for name in fields if fields.count(name) > 1}):
        yield f"the payload has two fields `{twice[0]}`"
    if contract.key not in fields:
        yield f"the key is `{contract.key}`, and the payload has no such field"
    for kind, names in contract.required.items():
        if unknown := sorted({*names} - {*fields}):
            yield f"{kind} requires `{unknown[0]}`, and the payload has no such field"
    if unknown := sorted({*contract.masked} - {*fields}):
        yield f"masked names `{unknown[0]}`, and the payload has no such field"
    if (contract.encoding == "debezium") != (captured is not None):
        yield "encoding is 'debezium' if there is `captured`, and only then"
    if captured and (unknown := sorted({*captured.key} - {*fields})):
        yield f"captured has the key `{unknown[0]}`, and the payload has no such field"
    if captured and ({*captured.types} != CHANGES or not {*captured.types.values()} <= {*contract.required}):
        yield "captured has an event type for each of c, u and d, and `required` has them too"
    if [one.number for one in contract.later] != list(range(2, 2 + len(contract.later))):
        yield "its later versions must be numbered 2, 3, ... in this order"
    for one in contract.later:
        yield from _of_version(contract, one)
    for rule in contract.all_rules:
        if rule.field is not None and rule.field not in fields:
            yield f"a rule is about `{rule.field}`, and the payload has no such field"


def _of_version(contract: "Contract", version: "Version") -> Iterator[str]:
    for name in (*version.adds, *version.defaults):
        kinds = [kind for kind, fields in contract.required.items() if name in fields]
        if name not in contract.payload.fieldNames() or name not in version.adds:
            yield f"version {version.number} must add `{name}`, and payload have it"
        if kinds:
            yield (
                f"version {version.number} adds `{name}`, and {', '.join(kinds)} requires it. "
                "A later version may only add optional fields"
            )

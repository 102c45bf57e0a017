"""The platform's other readers of the same records: what each says of a case, and where it differs from the verdict.

Data flow: Case -> order service, order rows, followers of the database, webhooks -> complaints
Run: pytest tests/streaming/test_fuzz.py
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from fuzz.case import Case
from fuzz.judge import BY_TOPIC, judged
from fuzz.sources import NOW_MS

from infra.shop.db import changes
from infra.shop.followers import order_events
from infra.shop.followers.follower import Record
from infra.shop.orders.commands import MAX_BYTES, Malformed
from infra.shop.orders.commands import read as command_in
from streaming.encodings import avro, debezium, protobuf
from streaming.webhooks.check import check
from streaming.webhooks.refused import Refused
from streaming.webhooks.request import key_in


def differing(case: Case) -> Iterator[str]:
    """Complaints. What a reader throws is one too."""
    for name, reader in READERS.items():
        try:
            yield from (f"{name} {wrong}" for wrong in reader(case))
        except Exception as failure:
            yield f"{name} throws {failure!r}"


def _order_service(case: Case) -> Iterator[str]:
    if case.topic != "commands":
        return
    verdict = judged(case)
    try:
        command_in(case.key, case.value)
        said = None
    except Malformed as wrong:
        said = str(wrong)
    # It decides by the arrival later.
    if (said is None) != (verdict.event is not None) and verdict.why != "time":
        yield f"says {said or 'valid'}, and it is {verdict.why or 'valid'}"


def _order_rows(case: Case) -> Iterator[str]:
    if case.topic not in ("orders", "payments") or case.encoding != "json":
        return
    found = order_events.read(Record(case.topic, case.value, case.key, NOW_MS, 0))
    if (found is None) != (judged(case).event is None):
        yield f"{'leaves it out' if found is None else 'takes it'}, and it is {judged(case).why or 'valid'}"


def _followers(case: Case) -> Iterator[str]:
    if case.encoding != "debezium":
        return
    found = changes.read(case.topic.rpartition(".")[2], case.value)
    text, fault = _decoded(case)
    if (found is None) != (not text):
        yield f"{'leave it out' if found is None else 'take it'}, and the stream says {fault}"


def _webhooks(case: Case) -> Iterator[str]:
    if case.encoding != "json" or case.value is None or len(case.value) > MAX_BYTES:
        return
    contract = BY_TOPIC[case.topic]
    try:
        key, _ = key_in(case.value, contract)
    except Refused:
        if judged(replace(case, key=case.key)).event is not None:
            yield "refuse a valid event"
        return
    found = check(contract, key, case.value, NOW_MS)
    verdict = judged(replace(case, key=key))
    if found.is_valid is not None and found.is_valid != (verdict.event is not None):
        yield f"say {found.reasons or 'valid'}, and it is {verdict.why or 'valid'}"


def _decoders(case: Case) -> Iterator[str]:
    if case.encoding != "json" and case.value is not None:
        text, fault = _decoded(case)
        if (text is None) == (fault is None):
            yield f"say {text!r} and {fault}"


def _decoded(case: Case) -> tuple[str | None, str | None]:
    value = case.value or b""
    if case.encoding == "debezium":
        return debezium.decode(debezium.Table.of(BY_TOPIC[case.topic]), value)
    return (avro.decode if case.encoding == "avro" else protobuf.decode)(case.topic, value)


READERS: Mapping[str, Callable[[Case], Iterator[str]]] = {
    "the order service": _order_service,
    "order rows": _order_rows,
    "followers": _followers,
    "webhooks": _webhooks,
    "decoders": _decoders,
}

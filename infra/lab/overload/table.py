"""What the lab of overload shows: its table, its sentence, and the promises that were not kept.

Data flow: Outcome after Outcome -> rows, sentences
Run: daybreak lab overload
"""

from collections.abc import Callable, Sequence

from infra.lab.overload.cases import Case, Policy
from infra.lab.overload.measure import Outcome
from infra.lab.overload.run import Sample
from infra.lab.result import Row

POLICY, NAME, FULL = "policy", "transport", "when its buffer is full"
ORDERS, LOST, NOT_TAKEN, WAITING = "orders", "lost", "not taken", "waiting, at most"
DELAY, SENDING = "delay, at most (s)", "sending (s)"
SOCKETS, BROKER, DISK = "sockets (MB)", "broker (MB)", "disk (MB)"
SIZES: dict[str, Callable[[Sample], int]] = {
    "producer (MB)": lambda sample: sample.producer,
    "consumer (MB)": lambda sample: sample.consumer,
    SOCKETS: lambda sample: sample.sockets,
    BROKER: lambda sample: sample.broker,
    DISK: lambda sample: sample.disk,
}
MEGABYTE = 1e6
NONE = "-"


def rows(found: Sequence[Outcome]) -> list[Row]:
    """A row per case. Sizes are what was added since the first order, at most, in MB (millions of bytes)."""
    return [
        {
            POLICY: one.case.policy,
            NAME: one.case.name,
            ORDERS: one.made,
            LOST: one.lost,
            NOT_TAKEN: one.made - one.taken,
            WAITING: max(waiting(one)),
            DELAY: f"{max(sample.delay_ms for sample in one.samples) / 1000:.1f}",
            SENDING: f"{sending(one):.1f}",
            **{name: _grown(one, name) for name in SIZES},
            FULL: one.case.when_full
            if one.died or not one.case.ends
            else "It was not: fewer waited than its memory holds.",
        }
        for one in found
    ]


def waiting(one: Outcome) -> list[int]:
    """By sample, the orders that were taken and neither processed nor lost by then: the lag."""
    return [sample.sent - sample.processed - lost for sample, lost in zip(one.samples, one.losses, strict=True)]


def sending(one: Outcome) -> float:
    """Seconds until the last order was taken or refused."""
    last = one.samples[-1].sent + one.samples[-1].refused
    return next(sample.seconds for sample in one.samples if sample.sent + sample.refused == last)


def _grown(one: Outcome, name: str) -> str:
    values = added(one, name)
    return f"{max(values):.1f}" if values else NONE


def added(one: Outcome, name: str) -> list[float]:
    """By sample, the MB that were added since the first; empty where there is no broker, or one that is not on this machine.

    The sockets of a broker serve others too, and are not looked at.
    """
    if (name == SOCKETS and one.case.of_broker) or (name in (BROKER, DISK) and not one.broker.is_here):
        return []
    first = SIZES[name](one.samples[0])
    return [max(SIZES[name](sample) - first, 0) / MEGABYTE for sample in one.samples]


def shows(found: Sequence[Outcome], seconds: float) -> str:
    """The measured figures in one sentence."""
    by = {policy: [one for one in found if one.case.policy is policy] for policy in Policy}
    limited, endless = by[Policy.MEMORY]
    brokers = [*by[Policy.DISK], *by[Policy.LOG]]
    died = (
        f"a queue without a limit ended its process after {_ended(endless):.1f} s, with {endless.lost:,} orders in it"
        if endless.died
        else "a queue without a limit was not full yet"
    )
    dropped = _listed([f"{one.lost:,} ({one.case.name})" for one in by[Policy.DROP]])
    held = _listed([f"{sending(one):.1f} s ({one.case.name})" for one in by[Policy.BACKPRESSURE]])
    behind = [f"{max(waiting(one)):,}" for one in brokers]
    return (
        f"Of {limited.made:,} orders, made in {seconds:g} s, those who drop lost {dropped}, and what came was at most "
        f"{max(_delay(one) for one in by[Policy.DROP]):.1f} s old; a full queue refused {limited.made - limited.taken:,}; "
        f"{died}; who waits loses {_number(sum(one.lost for one in by[Policy.BACKPRESSURE]))}, but sending takes {held}; "
        f"{_listed([one.case.name for one in brokers])} took all in {max(sending(one) for one in brokers):.1f} s, lost "
        f"{_number(sum(one.lost for one in brokers))}, and had up to {_listed(behind)} orders waiting."
    )


def broken(found: Sequence[Outcome]) -> list[str]:
    """A sentence for each promise that was not kept."""
    return [sentence for one in found for sentence in _broken(one.case, one)]


def _broken(case: Case, one: Outcome) -> list[str]:
    wrong = []
    if case.keeps and one.lost:
        wrong.append(f"{case.name} lost {one.lost:,} orders that it had taken")
    if case.takes_all and one.taken < one.made:
        wrong.append(f"{case.name} did not take {one.made - one.taken:,} orders, and was to take all")
    return wrong


def _ended(one: Outcome) -> float:
    return next(sample.seconds for sample in one.samples if not sample.producer)


def _delay(one: Outcome) -> float:
    return max(sample.delay_ms for sample in one.samples) / 1000


def _listed(names: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def _number(count: int) -> str:
    return f"{count:,}" if count else "none"

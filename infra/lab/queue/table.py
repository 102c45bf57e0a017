"""What the lab of the queue shows: its table, its story and its sentence.

Data flow: Measured -> rows, sentences
Run: daybreak lab queue
"""

from collections.abc import Mapping

from infra.lab.queue.counted import again, doubled_and_lost, found_later, from_death_on
from infra.lab.queue.job import Way
from infra.lab.queue.measure import Measured
from infra.lab.queue.situations import COPIED, DEATHS, POISON, SHARED, Outcome, Situation
from infra.lab.result import Row

NOT_SO = "-"
"""The cell of what a way does not have."""
WHAT = {
    Situation.BALANCE: f"two consumers share {SHARED} messages: how many each gets",
    Situation.FAN_OUT: f"two subscribers of {COPIED} messages: how many each gets",
    Situation.EXPLICIT: "m1 to m5 are taken, m2 and m4 acknowledged, then death: what comes again",
    Situation.STORY: "consumer 2 dies at m3: what consumer 1 processes from then on",
    Situation.OWN: "the same, m1, m3 and m5 in a queue or partition of its own: its successor processes",
    Situation.REPEATED: f"{len(DEATHS)} deaths between work and acknowledgement: doubled, lost",
    Situation.POISON: f"m{POISON} kills whoever takes it: deaths, and what became of m1 to m5",
    Situation.LATER: f"a consumer that comes later: how many of {COPIED} it finds",
}
WHAT_HAPPENS, NOT_DURABLE = "what happens", ", not durable"
TAKEN, SENT = "taken per second", "sent per second meanwhile"


def rows(found: Measured) -> list[Row]:
    """A row per situation, a column per way; then one per figure of the speed, for each number of waiting messages."""
    said = [_row(WHAT[situation], {way: _cell(found.of(way, situation)) for way in Way}) for situation in Situation]
    for load in dict.fromkeys((one.load.waiting, one.load.durable) for one in found.speeds):
        own = {one.load.way: one for one in found.speeds if (one.load.waiting, one.load.durable) == load}
        waiting, durable = load
        where = f"{waiting:,} waiting{'' if durable else NOT_DURABLE}"
        said.append(_row(f"{TAKEN}, {where}", {way: round(one.taken) for way, one in own.items()}))
        said.append(_row(f"{SENT}, {where}", {way: round(one.sent) for way, one in own.items()}))
    return said


def _row(what: str, cells: Mapping[Way, int | str]) -> Row:
    return {WHAT_HAPPENS: what} | {str(way): cells.get(way, NOT_SO) for way in Way}


def names(numbers: list[int]) -> str:
    """Messages by their names: `m4, m3, m5`."""
    return ", ".join(f"m{number}" for number in numbers) or "none"


def _cell(one: Outcome) -> str:
    match one.situation:
        case Situation.BALANCE | Situation.FAN_OUT:
            return " and ".join(f"{len(one.by(consumer))}" for consumer in (1, 2))
        case Situation.EXPLICIT:
            return names(again(one))
        case Situation.STORY:
            return names(from_death_on(one))
        case Situation.OWN:
            return names(one.by(3)) if one.by(3) else NOT_SO
        case Situation.REPEATED:
            doubled, lost = doubled_and_lost(one)
            return f"{doubled} doubled, {lost} lost"
        case Situation.POISON:
            return _poison(one)
        case Situation.LATER:
            return str(found_later(one))


def _poison(one: Outcome) -> str:
    waiting = [number for number in (1, 2, 4, 5) if number not in one.by(1)]
    others = f"{names(waiting)} wait" if waiting else "the others are processed"
    if one.dead_letters:
        return f"{one.deaths}; a dead letter, {others}"
    return f"{one.deaths}; {'it is tried again and again' if waiting else 'given up and gone'}, {others}"


def story(found: Measured) -> list[str]:
    """For each way, who took what when consumer 2 died at m3, as the ledger has it."""
    told = []
    for way in Way:
        one = found.of(way, Situation.STORY)
        parts = [f"{each.consumer} takes m{each.number}" for each in one.facts.taken]
        parts.insert(one.taken_before_death, "2 dies at m3")
        told.append(f"{way}: {'; '.join(parts)}. Consumer 1 has processed {names(one.by(1))}.")
    return told


def shows(found: Measured) -> str:
    """The measured figures in one sentence."""
    moved, kept = (_cell(found.of(way, Situation.STORY)) for way in (Way.QUEUE, Way.PARTITION))
    dead = found.of(Way.QUEUE, Situation.POISON)
    held = found.of(Way.PARTITION, Situation.POISON)
    later = [found_later(found.of(way, Situation.LATER)) for way in (Way.QUEUE, Way.PARTITION)]
    most = max(one.load.waiting for one in found.speeds)
    speed = {one.load.way: round(one.taken) for one in found.speeds if one.load.waiting == most and one.load.durable}
    return (
        f"When consumer 2 dies at m3, a queue lets consumer 1 process {moved}, a partition {kept}; a message that kills its "
        f"consumers is a dead letter after {dead.deaths} deaths, and still holds up a partition after {held.deaths}; a consumer "
        f"that comes later finds {later[0]} of {COPIED} messages in a queue and {later[1]} in a log; with {most:,} waiting, "
        f"{speed[Way.QUEUE]:,} are taken per second from the queue and {speed[Way.PARTITION]:,} from the log."
    )

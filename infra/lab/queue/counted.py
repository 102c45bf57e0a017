"""What is counted of an outcome.

Data flow: Outcome -> messages that came again, that came after a death, that were doubled, lost, or found later
Run: daybreak lab queue
"""

from infra.lab.queue.situations import COPIED, REPEATED, Outcome


def again(one: Outcome) -> list[int]:
    """Of the five that a consumer had taken when it died: those that its successor got."""
    return [number for number in one.by(1) if number <= 5]


def from_death_on(one: Outcome) -> list[int]:
    """What consumer 1 processed, in its order, from the message on that it had when consumer 2 died at m3."""
    return [number for number in one.by(1) if number >= 3]


def doubled_and_lost(one: Outcome) -> tuple[int, int]:
    """Messages that were processed more than once, and never."""
    processed = [each.number for each in one.facts.processed]
    return len(processed) - len(set(processed)), REPEATED - len(set(processed))


def found_later(one: Outcome) -> int:
    """Messages that were sent before consumer 2 came, and that it got."""
    return len([number for number in one.by(2) if number <= COPIED])

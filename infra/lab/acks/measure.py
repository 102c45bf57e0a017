"""The lab of acknowledgements: four producers that wait for more and more, and a leader that is killed under their load.

Data flow: the shop's orders -> three brokers of the lab's own -> Outcomes
Run: daybreak lab acks

While all are well each producer runs alone, so that its waits are its own. In the other situations all run side by side, and
every death is the death of the one broker that leads all their topics.
"""

import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from infra.kafka.brokers import THREE
from infra.lab.acks.cluster import Cluster, cluster
from infra.lab.acks.figures import Figures, figures, in_log
from infra.lab.acks.producer import Sender
from infra.lab.acks.setting import Setting
from infra.lab.acks.situation import Situation
from infra.lab.processes.placed_orders import write_orders
from infra.settings import Settings

WELL_SECONDS = 2
IN_TURN = (Setting.LEADER, Setting.ALL, Setting.IDEMPOTENT, Setting.NONE)
"""Of new topics followers begin to fetch late, and a broker drops what it is sent before it knows that it leads: so first the one
that waits for the leader only, and last the one that would not hear of it."""
DIFFERENT = 2_000
"""Different orders; then they come again under new numbers."""
LOAD_SECONDS = 1.0
"""Load before a death, and behind it."""
PAUSE_SECONDS, SETTLE_SECONDS = 0.5, 1.0


@dataclass(frozen=True)
class Outcome:
    """What one producer has after one situation."""

    situation: Situation
    setting: Setting
    figures: Figures


def measure(s: Settings, rate: float, kills: int, seed: int) -> list[Outcome]:
    """Run all. Raises TransientFailure if the brokers or a producer do not come to the end."""
    (s.home / "lab").mkdir(parents=True, exist_ok=True)
    topics = [situation.topic(setting) for situation in Situation for setting in Setting]
    with tempfile.TemporaryDirectory(prefix="acks-", dir=s.home / "lab") as folder:
        orders = _orders(Path(folder) / "orders.jsonl", seed)
        with cluster(s, Path(folder), topics) as own:
            return [one for situation in Situation for one in _in(situation, own, orders, rate, kills)]


def _orders(file: Path, seed: int) -> list[bytes]:
    write_orders(file, DIFFERENT, seed)
    return file.read_bytes().splitlines()


def _in(situation: Situation, own: Cluster, orders: Sequence[bytes], rate: float, kills: int) -> list[Outcome]:
    wire = own.options | situation.options
    senders = {one: Sender(wire, one, situation.topic(one), orders, rate) for one in Setting}
    if situation is Situation.WELL:
        for setting in IN_TURN:
            with senders[setting] as sender:
                sender.wait_acknowledged(round(rate * WELL_SECONDS))
    else:
        with ExitStack() as all_at_once:
            for sender in senders.values():
                all_at_once.enter_context(sender)
            for _ in range(kills if situation is Situation.KILLED else 1):
                die(own, situation, senders, rate)
    return [
        Outcome(situation, setting, _counted(own, situation, setting, sender)) for setting, sender in senders.items()
    ]


def die(own: Cluster, situation: Situation, senders: Mapping[Setting, Sender], rate: float) -> None:
    """The leader dies under load, and another one leads; it comes back, and leads again, while nobody sends.

    With acks=1 is lost what the followers had not fetched at that moment: nothing, or what came within a second and more.
    """
    leader = own.wait_whole()
    followers = [number for number in range(1, THREE + 1) if number != leader]
    carried(senders, rate)
    if situation is Situation.PAUSED:
        with own.brokers.paused(followers):
            # The pause itself, not a wait for something.
            time.sleep(PAUSE_SECONDS)
            own.brokers.kill(leader)
    else:
        own.brokers.kill(leader)
    own.wait_led(without=leader)
    carried(senders, rate)
    for sender in senders.values():
        sender.hold()
    own.brokers.start(leader)
    own.wait_whole()
    for sender in senders.values():
        sender.go_on()


def carried(senders: Mapping[Setting, Sender], rate: float) -> None:
    """Wait until all replicas have so many orders more: behind a change of leaders followers may begin to fetch a second late."""
    whole = senders[Setting.IDEMPOTENT]
    whole.wait_acknowledged(whole.sent.count + round(rate * LOAD_SECONDS))


def _counted(own: Cluster, situation: Situation, setting: Setting, sender: Sender) -> Figures:
    topic = situation.topic(setting)
    # Of what nobody acknowledges the last may still be on its way.
    log = in_log(own.options, topic, SETTLE_SECONDS if setting is Setting.NONE else 0.0)
    return figures(sender.sent, log, own.bytes_of(topic))

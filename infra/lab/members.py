"""A consumer group of real processes, and what they say.

Data flow: members' standard output -> reads, commits; the broker -> assignment, committed offsets
Run: daybreak lab groups
"""

import json
import subprocess
import sys
import time
from collections.abc import Callable
from threading import Thread
from types import TracebackType

from confluent_kafka import ConsumerGroupState, KafkaError, KafkaException

from infra.failures import TransientFailure
from infra.kafka import client
from infra.kafka.partitions import in_group
from infra.lab.group_member import End, Job
from infra.lab.reads import Offsets, Read
from infra.settings import ROOT

SECONDS = 60
"""Longest wait for a step of the lab. The longest step that is meant takes a session timeout, six seconds."""


class Group:
    """A context manager around the members of one consumer group; leaving it ends them all.

    `reads` are all records that were read, in the order of each member. `told` are the offsets that members say they have
    committed: what was read before a commit is in `reads` when the commit is in `told`. `hanging` names members.
    """

    def __init__(self, name: str, topic: str, partitions: int) -> None:
        self.name = name
        self.reads: list[Read] = []
        self.told: Offsets = {}
        self.hanging: set[str] = set()
        self._topic, self._partitions = topic, partitions
        self._id = f"{topic}-{name}"
        self._admin = client.admin()
        self._members: dict[str, tuple[subprocess.Popen[str], Thread]] = {}

    def start(self, member: str, end: End | None = None, after: int = 0) -> None:
        """Start a member that dies or hangs after so many records, or stays."""
        job = Job(client.options(), self._id, member, self._topic, end, after)
        command = [sys.executable, "-m", "infra.lab.group_member"]
        pipe = subprocess.PIPE
        process = subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, stderr=pipe, text=True)
        assert process.stdin
        process.stdin.write(job.text() + "\n")
        process.stdin.flush()
        listener = Thread(target=self._listen, args=(member, process), daemon=True)
        listener.start()
        self._members[member] = (process, listener)

    def dead(self, member: str) -> None:
        """Wait until a member has died, and all that it said is in `reads`."""
        process, listener = self._members.pop(member)
        self.until(f"{member} is dead", lambda: process.poll() is not None)
        listener.join()

    def until(self, what: str, found: Callable[[], object]) -> None:
        """Wait until `found` is true. Raises TransientFailure after SECONDS, or if a member ends that should not."""
        give_up = time.monotonic() + SECONDS
        while not found():
            for member, (process, _) in self._members.items():
                if process.poll() is not None:
                    said = (process.stderr.read() if process.stderr else "").strip().splitlines()
                    raise TransientFailure(f"member {member} of the lab ended: {said[-1] if said else process.poll()}")
            if time.monotonic() > give_up:
                raise TransientFailure(f"the lab waited {SECONDS} s in vain until {what}")
            time.sleep(0.05)

    def shared(self) -> dict[str, tuple[int, ...]]:
        """Wait until the running members have all partitions among them; partitions per member, none for an idle one."""
        found: dict[str, tuple[int, ...]] = {}

        def complete() -> bool:
            nonlocal found
            found = self._assigned()
            return found.keys() == self._members.keys() and sum(map(len, found.values())) == self._partitions

        self.until(f"group {self.name} has shared the partitions out", complete)
        return found

    def has_committed(self, ends: Offsets) -> None:
        """Wait until the members have committed all records before `ends`; what they read until then is in `reads`."""
        self.until(f"group {self.name} has committed up to {ends}", lambda: self.told == ends)

    def committed(self) -> Offsets:
        """The group's offsets, as the broker has them."""
        return {partition: offset for (_, partition), offset in in_group(self._admin, self._id).items()}

    def _assigned(self) -> dict[str, tuple[int, ...]]:
        """The broker's view of a settled group; empty while the group is not settled."""
        try:
            group = self._admin.describe_consumer_groups([self._id])[self._id].result(timeout=SECONDS)
        except KafkaException as failure:
            if failure.args[0].code() != KafkaError.GROUP_ID_NOT_FOUND:
                raise
            return {}
        if group.state is not ConsumerGroupState.STABLE:
            return {}
        parts = {one.client_id: one.assignment.topic_partitions for one in group.members}
        return {name: tuple(sorted(at.partition for at in own)) for name, own in parts.items()}

    def _listen(self, member: str, process: subprocess.Popen[str]) -> None:
        assert process.stdout
        for line in process.stdout:
            said = json.loads(line)
            if "hangs" in said:
                self.hanging.add(member)
            elif "committed" in said:
                self.told[said["partition"]] = max(said["committed"], self.told.get(said["partition"], 0))
            else:
                self.reads.append(Read(member, said["partition"], said["offset"]))

    def __enter__(self) -> "Group":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        # One after the other: a member that is closed in the middle of a rebalance may not leave its group.
        for process, _ in reversed(self._members.values()):
            assert process.stdin
            process.stdin.close()
            try:
                process.wait(SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

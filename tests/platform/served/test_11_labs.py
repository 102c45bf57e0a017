"""The labs on the real broker: what is lost, doubled, read again and delayed, and that nothing of theirs stays."""

import json
import os
import signal
import time
from contextlib import suppress
from typing import Any

import psutil
import pytest
from published import admin
from running import Platform

from infra.lab.labs import LABS
from infra.queue.broker import broker
from infra.queue.connection import Connection
from infra.queue.management import Management

pytestmark = pytest.mark.platform

KILLS = 20
Rows = list[dict[str, Any]]


@pytest.fixture(scope="module")
def results(platform: Platform) -> dict[str, Rows]:
    """The rows of each lab as they are kept. All run at once: none knows the others' topics."""
    platform.run("daybreak", "up", "--with", "queue", "--only", "queue")
    begun = {
        "queue": platform.begin("daybreak", "lab", "queue", "--waiting", "20000", "--seconds", "0.3"),
        "delivery": platform.begin("daybreak", "lab", "delivery", "--kills", str(KILLS), "--seed", "3"),
        "groups": platform.begin("daybreak", "lab", "groups", "--seed", "3"),
        "compaction": platform.begin("daybreak", "lab", "compaction", "--seed", "3"),
        "direct": platform.begin("daybreak", "lab", "direct", "--rate", "100", "--away", "1.5", "--seed", "3"),
        "overload": platform.begin("daybreak", "lab", "overload", "--rate", "3000", "--seconds", "4", "--seed", "3"),
        "acks": platform.begin("daybreak", "lab", "acks", "--rate", "300", "--kills", "1", "--seed", "3"),
    }
    for process in begun.values():
        output, errors = process.communicate(timeout=600)
        assert process.returncode == 0, output + errors
    return {lab: json.loads((platform.settings.home / "lab" / f"{lab}.json").read_text())["rows"] for lab in begun}


def step(rows: Rows, what: str, group: str) -> dict[str, Any]:
    (row,) = (row for row in rows if what in row["step"] and row["group"] == group)
    return row


def test_each_delivery_mode_keeps_its_promise_and_no_more(results: dict[str, Rows]) -> None:
    most, least, exactly = results["delivery"]
    assert [row["consumer"] for row in (most, least, exactly)] == ["at-most-once", "at-least-once", "exactly-once"]
    assert {row["kills"] for row in (most, least, exactly)} == {KILLS}
    assert most["doubled"] == 0 < most["lost"]
    assert least["lost"] == 0 < least["doubled"]
    assert exactly["lost"] == exactly["doubled"] == 0
    assert exactly["rolled back"] > 0, "deaths did come in the middle of transactions"


def test_each_group_reads_all_and_members_share_partitions(results: dict[str, Rows]) -> None:
    rows = results["groups"]
    assert step(rows, "share", "A")["records read"] in (
        "a1: 100 of p0; a2: 100 of p1",
        "a1: 100 of p1; a2: 100 of p0",
    )
    assert step(rows, "share", "B")["records read"] == "b1: 100 of p0, 100 of p1"
    assert {row["lost"] for row in rows} == {0}


def test_a_dead_members_partition_goes_on_at_its_offset(results: dict[str, Rows]) -> None:
    dead = step(results["groups"], "a1 is killed", "A")
    assert dead["went on at"] == dead["committed"] != ""
    (own,) = (part for part in dead["records read"].split("; ") if part.startswith("a1:"))
    before_its_death = 100 + int(own.split()[1])
    assert dead["read again"] == before_its_death - int(dead["committed"].split()[-1]) > 0


def test_a_member_beyond_the_partitions_stays_idle(results: dict[str, Rows]) -> None:
    members = step(results["groups"], "one too many", "A")["records read"].split("; ")
    assert len(members) == 3
    assert sum("idle" in member for member in members) == 1
    assert sum(" 100 of p" in member for member in members) == 2


def test_a_hanging_consumer_delays_its_own_group_only(results: dict[str, Rows]) -> None:
    rows = results["groups"]
    assert step(rows, "b1 hangs", "A")["lag"] == 0
    assert step(rows, "b1 hangs", "B")["lag"] > 0
    after = step(rows, "b2 takes over", "B")
    assert after["lag"] == 0
    assert after["went on at"] == after["committed"] != ""


def test_a_compacted_log_and_a_snapshot_give_the_whole_logs_state(results: dict[str, Rows]) -> None:
    whole, snapshot, compacted, late = results["compaction"]
    assert {row["result"] for row in (whole, snapshot, compacted)} == {"the same state"}
    assert whole["records"] == 2_000 > snapshot["records"] > 1_000
    assert compacted["records"] == compacted["keys"] + compacted["tombstones"] <= 50
    assert compacted["tombstones"] > 0
    assert late["result"] == "_AUTO_OFFSET_RESET: 1,000 records are gone, the first left is 1,000"


def carried(rows: Rows, situation: str, transport: str) -> dict[str, Any]:
    (row,) = (row for row in rows if row["situation"].startswith(situation) and row["transport"] == transport)
    return row


def test_an_absence_costs_what_nobody_kept(results: dict[str, Rows]) -> None:
    rows = results["direct"]
    lost = {row["transport"]: row["lost"] for row in rows if row["situation"] == "consumer 2 is away"}
    while_away = 150
    for forgets in ("TCP socket", "UDP unicast", "UDP multicast", "ZeroMQ PUB/SUB", "webhook, one try"):
        # A busy machine may hold a producer up until the consumer is back.
        assert lost[forgets] >= 0.6 * while_away, forgets
    assert 0 < lost["UDP, repeated on request"] < lost["UDP unicast"], "the history holds the newest half of them"
    assert lost["webhook, retried"] == lost["Kafka"] == 0
    assert carried(rows, "consumer 2 is away", "webhook, retried")["out of order"] > 0
    assert carried(rows, "consumer 2 is away", "Kafka")["out of order"] == 0


def test_only_a_log_outlives_the_producer_and_a_consumer(results: dict[str, Rows]) -> None:
    rows = results["direct"]
    assert carried(rows, "the producer is killed", "webhook, retried")["lost"] > 0
    assert carried(rows, "the producer is killed", "Kafka")["lost"] == 0
    assert carried(rows, "consumer 2 is killed", "webhook, retried")["doubled"] == 1
    dead = carried(rows, "consumer 2 is killed", "Kafka")
    assert dead["lost"] == 0 < dead["doubled"], "its offset is committed behind the work"


def test_each_policy_does_its_own_with_what_is_too_much(results: dict[str, Rows]) -> None:
    rows = {row["transport"]: row for row in results["overload"]}
    made = 12_000
    assert {row["orders"] for row in rows.values()} == {made}
    for drops in ("UDP unicast", "UDP, repeated on request", "ZeroMQ PUB/SUB"):
        assert rows[drops]["lost"] > 0.4 * made, drops
    limited, endless = rows["webhook, queue with a limit"], rows["webhook, queue without a limit"]
    assert limited["lost"] == 0 < limited["not taken"]
    assert 0 < limited["waiting, at most"] <= made / 20 + 1
    assert endless["lost"] > limited["waiting, at most"], "what waited died with its process"
    assert endless["not taken"] > 0
    for keeps in ("TCP socket", "ZeroMQ PUSH/PULL", "queue broker", "Kafka"):
        assert rows[keeps]["lost"] == rows[keeps]["not taken"] == 0, keeps
    for waits in ("TCP socket", "ZeroMQ PUSH/PULL"):
        assert rows[waits]["waiting, at most"] < rows["Kafka"]["waiting, at most"], "a log is no limit"
    assert float(rows["Kafka"]["sending (s)"]) < float(rows["TCP socket"]["sending (s)"])
    assert float(rows["Kafka"]["disk (MB)"]) > 1 > float(rows["TCP socket"]["producer (MB)"])


def test_an_acknowledgement_is_worth_what_its_producer_waited_for(results: dict[str, Rows]) -> None:
    rows = {(row["situation"], row["producer"]): row for row in results["acks"]}
    well, killed, paused = "all are well", "the leader is killed", "it is killed while the followers pause"
    assert {situation for situation, _ in rows} == {well, killed, paused}
    assert rows[killed, "acks=0"]["lost"] + rows[paused, "acks=0"]["lost"] > 0
    assert rows[paused, "acks=1"]["lost"] > 0, "the followers that pause have not what the leader had acknowledged"
    for situation in (well, killed, paused):
        assert rows[situation, "acks=all"]["lost"] == 0
        numbered = rows[situation, "acks=all, idempotent"]
        assert numbered["lost"] == numbered["doubled"] == numbered["out of order"] == 0
        assert numbered["acknowledged"] == numbered["orders"] > 300
        assert numbered["bytes on disk"] > 3 * 200 * numbered["orders"], "each order is on three disks"


def children(pid: int, what: str) -> list[psutil.Process]:
    """All that a process has started, once `what` is in a command line of them; before that nothing."""
    found, lines = psutil.Process(pid).children(recursive=True), ""
    for process in found:
        # It may have ended, or be between its fork and its own command line.
        with suppress(psutil.NoSuchProcess, psutil.ZombieProcess):
            lines += " ".join(process.cmdline())
    return found if what in lines else []


def cells(results: dict[str, Rows], what: str) -> list[Any]:
    """What the lab of the queue found in a queue, a share group and a partition."""
    (row,) = (row for row in results["queue"] if row["what happens"].startswith(what))
    return list(row.values())[1:]


def test_a_dead_consumers_message_comes_late_but_not_in_a_partition(results: dict[str, Rows]) -> None:
    assert cells(results, "consumer 2 dies at m3") == ["m4, m3, m5", "m4, m3, m5", "m3, m4, m5"]
    assert cells(results, "the same, m1, m3 and m5") == ["m3, m5", "-", "m3, m5"]
    assert cells(results, "3 deaths between work and ack") == ["3 doubled, 0 lost"] * 3


def test_each_acknowledgement_counts_alone_but_in_a_partition(results: dict[str, Rows]) -> None:
    assert cells(results, "m1 to m5 are taken") == ["m1, m3, m5", "m1, m3, m5", "m5"]
    queue, share_group, partition = cells(results, "m3 kills whoever takes it")
    assert queue == "3; a dead letter, the others are processed"
    assert share_group == "3; given up and gone, the others are processed"
    assert partition == "5; it is tried again and again, m4, m5 wait"


def test_consumers_share_a_queue_and_none_finds_what_is_done(results: dict[str, Rows]) -> None:
    *shared, partition = cells(results, "two consumers share 300")
    assert partition == "0 and 300"
    for cell in shared:
        counts = [int(count) for count in cell.split(" and ")]
        assert sum(counts) == 300
        assert min(counts) > 30
    assert cells(results, "a consumer that comes later") == ["0", "100", "100"]
    assert all(speed > 0 for speed in cells(results, "taken per second, 20,000 waiting"))


def test_an_interrupted_lab_leaves_no_process(platform: Platform, results: dict[str, Rows]) -> None:
    assert results
    begins = {("direct", "--away", "60"): "processes.worker", ("queue",): "", ("acks",): "kafka.Kafka"}
    for lab in begins:
        # One after the other: on a busy machine a lab would be over before its turn.
        begun = platform.begin("daybreak", "lab", *lab)
        deadline = time.monotonic() + 60
        while not (own := children(begun.pid, begins[lab])):
            assert time.monotonic() < deadline
            assert begun.poll() is None
            time.sleep(0.05)
        os.killpg(begun.pid, signal.SIGINT)
        begun.communicate(timeout=120)
        assert begun.returncode != 0
        assert not [process for process in own if process.is_running()]
        assert not list((platform.settings.home / "lab").glob(f"{lab[0]}-*"))


def test_nothing_of_a_lab_stays_in_either_broker(platform: Platform, results: dict[str, Rows]) -> None:
    assert results
    topics = admin(platform).list_topics(timeout=30).topics
    with pytest.warns(DeprecationWarning, match="list_groups"):
        # No other call of the client names share groups too.
        groups = admin(platform).list_groups(timeout=30)
    with Connection(broker(platform.settings)) as connection:
        queues = Management(connection).queues()
    assert not [name for name in (*topics, *(group.id for group in groups), *queues) if "lab-" in name]
    platform.run("daybreak", "up", "--without", "queue", "--only", "stream")


def test_what_fits_is_told_by_the_figures_of_these_runs(platform: Platform, results: dict[str, Rows]) -> None:
    said = platform.run("daybreak", "lab", "fit").stdout
    assert "not measured yet" not in said
    (udp,) = (row for row in results["overload"] if row["transport"] == "UDP unicast")
    assert f"UDP unicast loses {udp['lost']:,} of 12,000" in said


def test_the_page_has_all_results(platform: Platform, results: dict[str, Rows]) -> None:
    text = (platform.settings.home / "lab" / "index.html").read_text()
    assert text.count("has not been run yet") == len(LABS) - len(results)
    assert f"{results['delivery'][0]['lost']:,}</td>" in text

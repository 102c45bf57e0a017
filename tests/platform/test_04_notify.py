"""Alerts go out: to a receiver that comes back, from a sender that was killed, again after a refusal, and by mail."""

import json
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from confluent_kafka import Producer
from receiver import Mailbox, Post, Receiver, receiver
from running import Platform
from typer.testing import CliRunner

from infra.kafka import compacted
from infra.kafka.transactions import publisher, transaction
from infra.problems import Problem
from infra.services.program import Name
from infra.settings import load, settings
from streaming.commands.notify import commands
from streaming.notify import problems
from streaming.webhooks.signature import SIGNATURE, TIME, key_of, verify

pytestmark = pytest.mark.platform

MAIL = Mailbox()
KEYS = 7
SECONDS = 60.0
"""Longest wait for a delivery."""


@pytest.fixture(scope="module")
def notifying(platform: Platform) -> Iterator[Platform]:
    """The platform with the option on, and a mail server; its stream goes on meanwhile."""
    with MAIL.there():
        kept = platform.settings.home / "secrets.env"
        before = kept.read_text()
        own = {
            "SMTP_HOST": "127.0.0.1",
            "SMTP_PORT": str(MAIL.port),
            "SMTP_SECURITY": "none",
            "NOTIFY_MAIL_SECONDS": "2",
        }
        kept.write_text(before + "".join(f"DAYBREAK_{name}={value}\n" for name, value in own.items()))
        platform.run("daybreak", "up", "--with", "notify", "--only", "notify")
        settings.cache_clear()
        yield replace(platform, settings=load())
        platform.run("daybreak", "up", "--without", "notify", "--only", "kafka")
        kept.write_text(before)
        settings.cache_clear()
    assert Name.NOTIFY not in platform.supervisor().processes()


def raise_alerts(platform: Platform, first: int, count: int) -> None:
    """Alerts in Kafka, as the stream writes them: some transactions, and one that is rolled back between them."""
    topic = platform.settings.alerts_topic
    compacted.create({topic: 2}, "DAYBREAK_ALERTS_TOPIC")
    producer = publisher("test-alerts", "lake", 20)
    for start in range(first, first + count, 100):
        for is_kept in (False, True):
            with transaction(producer, 20) if is_kept else rolled_back(producer):
                for number in range(start, min(start + 100, first + count)):
                    value = {"view": "fraud_alerts", "alert": "raised", "number": number if is_kept else -1}
                    key = f"fraud_alerts/card-{number % KEYS}"
                    producer.produce(topic, json.dumps(value).encode(), key.encode())


@contextmanager
def rolled_back(producer: Producer) -> Iterator[None]:
    """A transaction that is not committed."""
    producer.begin_transaction()
    yield
    producer.flush(20)
    producer.abort_transaction(20)


def until(what: str, found: Callable[[], Any]) -> Any:
    """The first answer of `found` that is true; looked at often, because what is awaited here takes a moment."""
    give_up = time.monotonic() + SECONDS
    while not (answer := found()):
        assert time.monotonic() < give_up, what
        time.sleep(0.05)
    return answer


def run(*arguments: str, status: int = 0) -> str:
    """A command `daybreak notify ...`, in this process."""
    done = CliRunner().invoke(commands, ["notify", *arguments])
    assert (done.exit_code == 0) == (status == 0), (done.output, done.exception)
    return done.stdout.strip()


@dataclass(frozen=True)
class Targets:
    """One that is away at first, one that is well, and one that refuses number 3."""

    platform: Platform
    away: Receiver = field(default_factory=receiver)
    well: Receiver = field(default_factory=receiver)
    picky: Receiver = field(default_factory=receiver)
    secrets: dict[str, str] = field(default_factory=dict)


@pytest.fixture(scope="module")
def targets(notifying: Platform) -> Iterator[Targets]:
    """They get alerts, and people get them by mail."""
    own = Targets(notifying)
    own.picky.answer = lambda post: (422, {}, b"no 3, please") if number(post) == 3 else (204, {}, b"")
    for name in ("away", "well", "picky"):
        own.secrets[name] = run("add", name, "--url", getattr(own, name).url)
    run("add", "people", "--mail", "people@example.org")
    with own.well.there(), own.picky.there():
        raise_alerts(notifying, 0, 1)
        until("the mail has come", lambda: MAIL.mails)
        MAIL.answers = ["451 come back later"]
        raise_alerts(notifying, 1, 499)
        yield own
    for name in ("away", "well", "picky", "people"):
        run("remove", name)


def number(post: Post) -> int:
    """Of its alert."""
    found: int = post.said["data"]["number"]
    return found


def numbers(posts: list[Post]) -> dict[str, list[int]]:
    """Key -> numbers of its alerts, as they came."""
    found = defaultdict(list)
    for post in posts:
        found[post.said["key"]].append(number(post))
    return dict(found)


ALL = {f"fraud_alerts/card-{key}": [*range(key, 500, KEYS)] for key in range(KEYS)}


def test_one_that_is_away_holds_up_no_other(targets: Targets) -> None:
    until("the other one has all", lambda: len(targets.well.taken) >= 500)
    assert numbers(targets.well.taken) == ALL
    one, key = targets.well.taken[0], key_of(targets.secrets["well"])
    verify([key], one.id, one.headers[TIME], one.headers[SIGNATURE], one.body, float(one.headers[TIME]))
    found = until("it is told who is away", lambda: seen(targets, "notify.away/away"))
    assert "ConnectError" in found.what
    assert (found.count or 0) >= 500


def seen(targets: Targets, wanted: str) -> Problem | None:
    """The problem of this id, to somebody who waits a second only."""
    impatient = targets.platform.settings.model_copy(update={"still_seconds": 1})
    return next((one for one in problems.look(impatient) if one.id == wanted), None)


def test_one_that_comes_back_gets_everything_in_order(targets: Targets) -> None:
    got = targets.away
    with got.there():
        until("it has all", lambda: len(got.taken) >= 500)
    assert numbers(got.taken) == ALL
    assert {post.id for post in got.taken} == {post.id for post in targets.well.taken}
    assert len({post.id for post in got.taken}) == 500
    until("nobody is away", lambda: seen(targets, "notify.away/away") is None)


def test_what_is_refused_is_a_dead_letter_until_it_is_sent_again(targets: Targets) -> None:
    got = targets.picky
    until("it has the others", lambda: len(got.taken) >= 499)
    found = seen(targets, "notify.dead-letters/picky")
    assert found
    assert found.count == 1
    assert "it answered 422: no 3, please" in found.rows[0]
    run("resend", "picky", status=1)
    letter = json.loads(run("dead-letters", "picky"))
    got.answer = lambda post: (204, {}, b"")
    run("resend", "picky")
    assert (got.taken[-1].id, number(got.taken[-1])) == (letter["id"], 3)
    # Once by the program, twice by the command: the answer was no, no and yes.
    assert [number(post) for post in got.posts].count(3) == 3
    assert seen(targets, found.id) is None


def test_an_alert_is_mailed_at_once_and_a_burst_as_one_mail(targets: Targets) -> None:
    until("the others too", lambda: len(MAIL.mails) >= 2)
    one, many = MAIL.mails
    assert (one["To"], one["Subject"]) == ("people@example.org", "[Daybreak] alert fraud_alerts raised")
    assert many["Subject"] == "[Daybreak] 499: 499 x alert fraud_alerts raised"
    assert "... and 479 more." in many.get_content()
    assert one["Message-ID"] != many["Message-ID"]


def test_what_a_killed_sender_had_sent_comes_again_with_its_id(targets: Targets) -> None:
    platform, got = targets.platform, targets.well
    got.taken.clear()
    platform.hold("notify.before-save")
    raise_alerts(platform, 1000, 1)
    until("it has the alert", lambda: got.taken)
    platform.reached("notify.before-save")
    platform.kill("notify")
    platform.release("notify.before-save")
    raise_alerts(platform, 1001, 30)
    until("it has all, and one again", lambda: len(got.taken) >= 32)
    found = [number(post) for post in got.taken]
    assert found.count(1000) == 2
    assert sorted({*found}) == [*range(1000, 1031)]
    assert len({post.id for post in got.taken}) == 31

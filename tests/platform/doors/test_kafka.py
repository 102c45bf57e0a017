"""Who may do what with Kafka: every user tries everything on a running broker; and who has no user, or says a wrong one."""

import stat
from concurrent.futures import ThreadPoolExecutor

import psutil
import pytest
from confluent_kafka.admin import (  # type: ignore[attr-defined]
    AclBinding,
    AclOperation,
    AclPermissionType,
    NewTopic,
    ResourcePatternType,
    ResourceType,
)
from kafka_tries import SECONDS, TRIES, As
from kafka_wire import CLOSED, refusal, unasked
from running import Platform, until

from infra.failures import PermanentFailure
from infra.kafka import acls, client, login, rights
from infra.kafka.sent_topics import sent_topics
from infra.kafka_users import User
from infra.services.kafka import audit_file
from infra.services.program import Name

pytestmark = pytest.mark.platform

ANY_TOPIC = (ResourceType.TOPIC, "*", ResourcePatternType.LITERAL)
TOO_MUCH = AclBinding(*ANY_TOPIC, f"User:{User.READER}", "*", AclOperation.DELETE, AclPermissionType.ALLOW)


def test_each_user_may_do_what_the_table_says(door: Platform) -> None:
    assert list(TRIES) == [one.what for one in rights.TRIES]
    with ThreadPoolExecutor(len(User)) as pool:
        everyone = [As(door.settings, user) for user in User]
        tried = dict(zip(User, pool.map(lambda own: {what: own.does(what) for what in TRIES}, everyone), strict=True))
    pairs = [(one, user, tried[user][one.what]) for one in rights.TRIES for user in User]
    assert len(pairs) > 250
    assert [(one.what, user, why) for one, user, why in pairs if (why is None) is not (user in one.may)] == []
    refused = audit_file(door.settings, Name.KAFKA)
    assert stat.S_IMODE(refused.stat().st_mode) == 0o600
    words = (
        "Principal = User:reader is Denied operation = WRITE from host = 127.0.0.1 on resource = Topic:LITERAL:clicks"
    )
    until("the refusal is written down", lambda: words in refused.read_text(), 20)


def test_who_is_nobody_is_not_let_in(door: Platform) -> None:
    s = door.settings
    for port in (s.kafka_port, s.kafka_controller_port):
        assert unasked(port) == CLOSED
        assert "daybreak connect kafka" in (refusal(port, "root", "x") or "")
        assert "invalid credentials" in (refusal(port, User.OWNER, login.password(s, User.READER)) or "")
        assert refusal(port, User.OWNER, "")
    assert "Failed authentication" in audit_file(s, Name.KAFKA).read_text()


def test_a_program_of_ours_is_told_that_a_retry_does_not_help(door: Platform) -> None:
    login.act_as(User.READER)
    name, admin = "made-by-nobody", client.admin()
    with pytest.raises(PermanentFailure, match=r"refuses this to reader: .*daybreak connect kafka"), client.answers():
        admin.create_topics([NewTopic(name, 1, 1)])[name].result(20)


def test_no_password_is_in_a_log_or_a_process(door: Platform) -> None:
    s = door.settings
    broker = psutil.Process(door.supervisor().processes()[Name.KAFKA].pid)
    said = [*broker.cmdline(), *broker.environ().values(), *(log.read_text() for log in (s.home / "logs").iterdir())]
    assert any("kafka.Kafka" in text for text in said)
    assert [user for user in User for text in said if login.password(s, user) in text] == []


def test_rights_are_made_to_be_what_the_table_says(door: Platform) -> None:
    own = As(door.settings, User.OWNER)

    def now() -> set[object]:
        return {one for one in own.admin.describe_acls(acls.EVERY).result(20) if "friend" not in one.principal}

    sent = sent_topics(door.settings)
    wanted = set(acls.wanted_of(door.settings, sent))
    until("the broker has the rights of the table", lambda: now() == wanted, SECONDS)
    gone = acls.only(max(wanted))
    for done in (own.admin.create_acls([TOO_MUCH])[TOO_MUCH], own.admin.delete_acls([gone])[gone]):
        done.result(20)
    # A broker answers a change before it counts everywhere in it.
    until("the rights are others", lambda: now() != wanted, SECONDS)
    acls.write(door.settings, sent)
    until("they are those of the table again", lambda: now() == wanted, SECONDS)

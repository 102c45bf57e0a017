"""Who may do what with Kafka, without a broker: passwords, credentials, what clients say, and the page.

Data flow: Settings -> login, door; the table of rights -> infra/README.md
Run: pytest tests/infra/test_kafka_rights.py
"""

import hashlib
import hmac
import json
import re
import stat
from base64 import b64decode
from pathlib import Path

import pytest
from confluent_kafka.admin import AclOperation  # type: ignore[attr-defined]
from pyspark.sql import SparkSession

from infra.commands import kafka_lines
from infra.failures import PermanentFailure
from infra.kafka import acls, client, door, login, rights
from infra.kafka.rights import ANY
from infra.kafka.spark_source import spark_options
from infra.kafka_users import User
from infra.services import kafka
from infra.settings import Settings, load, settings
from infra.settings_table import PAGE
from infra.shop.db.rest import access
from infra.shop.services.connect import program
from infra.shop.services.connect import properties as of_connect

SENT = {User.SENDER: ["events", "more"], User.WEBHOOKS: ["events"]}


def test_each_user_has_a_password_of_its_own(s: Settings) -> None:
    assert len({login.password(s, user) for user in User}) == len(User)
    assert all(len(login.password(s, user)) >= 32 for user in User)


@pytest.mark.parametrize("wrong", ["two words", 'a"b', "a'b", "a\\b"])
def test_a_password_that_java_could_misread_is_refused(monkeypatch: pytest.MonkeyPatch, wrong: str) -> None:
    monkeypatch.setenv("DAYBREAK_KAFKA_READER_PASSWORD", wrong)
    with pytest.raises(PermanentFailure, match="DAYBREAK_KAFKA_READER_PASSWORD is wrong") as refused:
        load()
    assert wrong not in str(refused.value)


def test_a_broker_believes_the_password_and_cannot_tell_it() -> None:
    said = door.credential("secret")
    parts = dict(part.split("=", 1) for part in said.split(","))
    salted = hashlib.pbkdf2_hmac("sha512", b"secret", b64decode(parts["salt"]), int(parts["iterations"]))
    key = hmac.digest(salted, b"Client Key", "sha512")
    assert b64decode(parts["stored_key"]) == hashlib.sha512(key).digest()
    assert b64decode(parts["server_key"]) == hmac.digest(salted, b"Server Key", "sha512")
    assert "secret" not in said
    assert door.credential("secret") != said


def test_controllers_let_nobody_in_but_brokers_and_the_owner(s: Settings, tmp_path: Path) -> None:
    door.write(s, tmp_path)
    names = {file.name: re.findall(r"^(\w+)=", file.read_text(), re.MULTILINE) for file in tmp_path.iterdir()}
    assert names["users"] == [*User]
    assert names["controllers"] == ["owner", "broker"]
    for file in (door.users_file(tmp_path), door.controllers_file(tmp_path)):
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert not any(login.password(s, user) in file.read_text() for user in User)


def test_brokers_without_passwords_do_not_start(tmp_path: Path) -> None:
    with pytest.raises(PermanentFailure, match="DAYBREAK_KAFKA_OWNER_PASSWORD, DAYBREAK_KAFKA_BROKER_PASSWORD"):
        door.write(Settings(home=tmp_path), tmp_path)


def test_what_nobody_was_given_is_refused_on_every_listener(s: Settings) -> None:
    (node,) = kafka.nodes(s)
    own = door.properties(s, node.folder)
    assert own["allow.everyone.if.no.acl.found"] == "false"
    assert own["super.users"] == "User:owner;User:broker"
    assert own["listener.security.protocol.map"] == "BROKER:SASL_PLAINTEXT,CONTROLLER:SASL_PLAINTEXT"


def test_every_client_says_who_the_process_is(s: Settings) -> None:
    login.act_as(User.NIGHT)
    assert client.options()["sasl.username"] == "night"
    assert client.options()["sasl.password"] == login.password(s, User.NIGHT)
    found = spark_options(s, ["t"])
    assert (found["kafka.security.protocol"], found["kafka.sasl.mechanism"]) == ("SASL_PLAINTEXT", "SCRAM-SHA-512")
    assert f'username="night" password="{login.password(s, User.NIGHT)}";' in found["kafka.sasl.jaas.config"]
    connect = of_connect(s)
    for role in ("", "producer.", "consumer.", "admin."):
        assert 'username="connect"' in connect[f"{role}sasl.jaas.config"]


def test_connect_asks_who_wants_a_connector(s: Settings) -> None:
    assert of_connect(s)["rest.extension.classes"].endswith(".BasicAuthSecurityRestExtension")
    assert f"-Djava.security.auth.login.config={s.home}/connect/jaas.conf" in program(s).command
    user, password = access(s)
    assert user == "owner"
    assert len(password) >= 32
    assert not any(password in part for part in program(s).command)


def test_a_kafka_of_yours_is_told_what_you_say(s: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DAYBREAK_KAFKA_BOOTSTRAP", "broker:9092")
    monkeypatch.setenv("DAYBREAK_KAFKA_CLIENT", json.dumps({"security.protocol": "SSL"}))
    monkeypatch.setenv("DAYBREAK_KAFKA_SPARK", json.dumps({"kafka.security.protocol": "SSL"}))
    settings.cache_clear()
    assert {name for name in client.options() if name.startswith(("sasl", "security"))} == {"security.protocol"}
    for found in (spark_options(settings(), ["t"]), of_connect(settings())):
        assert not [name for name in found if "sasl" in name]
    assert of_connect(settings())["security.protocol"] == "SSL"


def test_no_password_shows_in_a_plan_of_spark(s: Settings, spark: SparkSession) -> None:
    options = spark_options(s, ["t"])
    assert login.password(s, User.OWNER) in options["kafka.sasl.jaas.config"]
    plan = spark.readStream.format("kafka").options(**options).load()._jdf.queryExecution()
    for text in (plan.toString(), plan.logical().treeString(), plan.analyzed().verboseString(1000)):
        assert login.password(s, User.OWNER) not in text


def test_a_right_is_granted_once_and_to_no_super_user(s: Settings) -> None:
    every = [*acls.wanted_of(s, SENT)]
    assert len(set(every)) == len(every)
    assert not {f"User:{user}" for user in door.SUPER} & {one.principal for one in every}
    assert {f"User:{user}" for user in set(User) - set(door.SUPER)} == {one.principal for one in every}


def test_who_sends_events_writes_the_topics_that_are_named_and_no_other(s: Settings) -> None:
    may = {User(one.principal.removeprefix("User:")): set() for one in acls.wanted_of(s, SENT)}
    for one in acls.wanted_of(s, SENT):
        if one.operation is AclOperation.WRITE:
            may[User(one.principal.removeprefix("User:"))] |= {one.name}
    assert {user: may[user] for user in SENT} == {user: set(topics) for user, topics in SENT.items()}
    assert ANY not in set().union(*may.values())


def test_the_page_has_the_table_of_today() -> None:
    assert rights.page(PAGE.read_text()) == PAGE.read_text(), "run make catalog"


@pytest.mark.parametrize("user", User)
def test_the_lines_to_copy_are_of_what_the_user_may_do(s: Settings, user: User) -> None:
    said = kafka_lines.lines(s, user)
    sends = user in (User.WEBHOOKS, User.SHOP)
    assert ("Producer(own)" in said, "kafka-console-producer" in said) == (sends, sends)
    assert ("Consumer(own" in said, "kafka-console-consumer" in said) == (not sends, not sends)
    compile(said.partition("confluent-kafka\n")[2], "lines", "exec")


def test_the_lines_to_copy_name_files_and_no_password(s: Settings) -> None:
    own = login.password(s, User.READER)
    said = kafka_lines.lines(s, User.READER)
    assert own not in said
    assert own in kafka_lines.lines(s, User.READER, show=True)
    for file in login.files(s, User.READER):
        assert str(file) in said
        assert own in file.read_text()
        assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_the_lines_of_a_kafka_of_yours_are_yours(s: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DAYBREAK_KAFKA_BOOTSTRAP", "broker:9092")
    with pytest.raises(PermanentFailure, match="users of its own"):
        kafka_lines.lines(load(), User.READER)

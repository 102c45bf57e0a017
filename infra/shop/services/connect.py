"""Kafka Connect with Debezium: the worker that captures the shop's database (option shop-db), run straight from its jars.

Data flow: Settings -> `<home>/connect/worker.properties` -> Program; then the connector
Run: daybreak up --with shop-db

The worker writes the captured changes and its position in the database in one Kafka transaction ("exactly-once source"), so a
worker that dies neither loses a change nor sends one twice. Passwords stay in a file: Kafka keeps the connector's configuration.
"""

from infra.failures import TransientFailure
from infra.jvm import ONE_COMPILER
from infra.kafka import login
from infra.kafka.log4j import LOG4J
from infra.owner_file import put
from infra.services import health
from infra.services.program import Name, Program
from infra.settings import Settings
from infra.setup import connect as jars
from infra.setup import on_demand
from infra.setup.prerequisites import java
from infra.shop.db import condition, connection, connector, rest, tables
from infra.shop.kafka_rights import CONNECT as GROUP
from infra.shop.services.names import CONNECT
from infra.shop.settings import shops
from infra.shop.users import CAPTURE
from infra.shop.users import CONNECT as USER
from infra.tls.files import OPENS, files

JAAS, MODULE = "jaas.conf", "org.apache.kafka.connect.rest.basic.auth.extension.PropertyFileLoginModule"
"""Where Java finds who may use the worker's interface, and Kafka's own module that looks there."""


def properties(s: Settings) -> dict[str, str]:
    """The worker's configuration."""
    # Spark's options for Kafka are the Java client's, each with a prefix.
    yours = {name.removeprefix("kafka."): value for name, value in s.kafka_spark.items()}
    client = login.of_java(s, USER) | yours
    stores = {f"{what}.storage.topic": f"{GROUP}-{what}" for what in ("config", "offset", "status")}
    copies = {f"{what}.storage.replication.factor": str(s.kafka_replication) for what in ("config", "offset", "status")}
    own = {
        "bootstrap.servers": s.kafka_bootstrap,
        "group.id": GROUP,
        "listeners": f"{'https' if s.has_tls else 'http'}://127.0.0.1:{s.connect_port}",
        "rest.advertised.host.name": s.clients_host,
        **(_encrypted(s) if s.has_tls else {}),
        "exactly.once.source.support": "enabled",
        "key.converter": "org.apache.kafka.connect.json.JsonConverter",
        "key.converter.schemas.enable": "false",
        "value.converter": "org.apache.kafka.connect.json.JsonConverter",
        "value.converter.schemas.enable": "false",
        "offset.storage.partitions": "1",
        "status.storage.partitions": "1",
        # A connector is code: who has no password makes none, and sees none.
        "rest.extension.classes": "org.apache.kafka.connect.rest.basic.auth.extension.BasicAuthSecurityRestExtension",
        # All plugins are on the class path.
        "plugin.discovery": "service_load",
        "config.providers": "file",
        "config.providers.file.class": "org.apache.kafka.common.config.provider.FileConfigProvider",
        "config.providers.file.param.allowed.paths": f"{s.home}/connect",
    }
    prefixed = {f"{role}.{name}": value for role in ("producer", "consumer", "admin") for name, value in client.items()}
    return {**own, **stores, **copies, **client, **prefixed}


def _encrypted(s: Settings) -> dict[str, str]:
    """Of its interface alone: without the prefix it would be the worker's, as Kafka's client."""
    own = {"type": "PKCS12", "location": str(files(s).keystore), "password": OPENS}
    return {
        "rest.advertised.listener": "https",
        **{f"listeners.https.ssl.keystore.{name}": value for name, value in own.items()},
        "listeners.https.ssl.key.password": OPENS,
    }


def prepare(s: Settings) -> None:
    """Fetch the jars, write the configuration, and make the shop's tables."""
    on_demand.ensure(jars.STEP)
    folder = s.home / "connect"
    folder.mkdir(parents=True, exist_ok=True)
    put(folder / "worker.properties", "".join(f"{key}={value}\n" for key, value in properties(s).items()))
    (folder / "log4j2.properties").write_text(LOG4J)
    put(folder / connector.SECRETS, f"password={connection.parts(s, CAPTURE).get('password', '')}\n")
    user, password = rest.access(s)
    put(folder / "rest.users", f"{user}={password}\n")
    put(folder / JAAS, f'KafkaConnect {{ {MODULE} required file="{folder}/rest.users"; }};\n')
    tables.create(s)


def _waits_for(s: Settings) -> str | None:
    """Does the worker answer, and does its connector run and beat?"""
    try:
        answer = rest.asked(s, "GET", name="", seconds=health.ANSWER_SECONDS)
        if answer.is_error:
            return f"a good answer from {answer.url} (it answers {answer.status_code})"
        return condition.waits_for(s)
    except TransientFailure as failure:
        return str(failure)


def program(s: Settings) -> Program:
    """The worker."""
    log4j = f"-Dlog4j2.configurationFile={s.home}/connect/log4j2.properties"
    jaas = f"-Djava.security.auth.login.config={s.home}/connect/{JAAS}"
    command = [
        java(),
        f"-Xmx{shops(s).connect_memory}",
        *s.jvm(ONE_COMPILER),
        log4j,
        jaas,
        "-cp",
        f"{s.home}/jars/connect/*",
    ]
    command += ["org.apache.kafka.connect.cli.ConnectDistributed", f"{s.home}/connect/worker.properties"]
    return Program(
        name=CONNECT,
        command=tuple(command),
        heap=(shops(s).connect_memory, "connect_memory"),
        ports={"connect_port": s.connect_port},
        needs=(Name.KAFKA, Name.POSTGRES),
        waits_for=lambda pid: _waits_for(s),
        fails=lambda: condition.fails(s),
        notices=lambda pid: condition.notices(s),
        prepare=lambda: prepare(s),
        complete=lambda: connector.register(s),
        start_seconds=180,
    )

"""How a program of ours says to Kafka who it is: by SCRAM, so that no password travels, and a false broker is found out.

Data flow: Settings, who this process is -> options of librdkafka, Java, Spark; `<home>/kafka-clients/<user>.conf` (0600)
Run: daybreak connect kafka
Source: RFC 5802; Kafka's documentation, "Authentication using SASL/SCRAM".

A Kafka of yours has users of its own: what DAYBREAK_KAFKA_CLIENT and DAYBREAK_KAFKA_SPARK say is all that clients say.
"""

from pathlib import Path

from infra.kafka_users import User
from infra.owner_file import put
from infra.settings import Settings
from infra.tls_settings import ca_file

MECHANISM = "SCRAM-SHA-512"
_acting = [User.OWNER]


def act_as(user: User) -> None:
    """From now on this process is that user. A command of a person's is the owner."""
    _acting[0] = user


def acting() -> User:
    """Who this process is."""
    return _acting[0]


def password(s: Settings, user: User) -> str:
    """The user's password; empty if there is none."""
    found: str = getattr(s, user.setting).get_secret_value()
    return found


def of_librdkafka(s: Settings, user: User | None = None) -> dict[str, str]:
    """What librdkafka's clients say to the embedded brokers; nothing to yours."""
    who = user or acting()
    return scram(s, who, password(s, who)) if _ours(s, who) else {}


def of_java(s: Settings, user: User | None = None) -> dict[str, str]:
    """The same for a Java client."""
    who = user or acting()
    if not _ours(s, who):
        return {}
    trusts = {"ssl.truststore.type": "PEM", "ssl.truststore.location": str(ca_file(s.home))} if s.has_tls else {}
    return {"security.protocol": protocol(s), "sasl.mechanism": MECHANISM, "sasl.jaas.config": jaas(s, who), **trusts}


def of_spark(s: Settings) -> dict[str, str]:
    """The same for Spark's source, which prefixes what is Java's."""
    return {f"kafka.{name}": value for name, value in of_java(s).items()}


def protocol(s: Settings) -> str:
    """What the embedded brokers speak at every port."""
    return "SASL_SSL" if s.has_tls else "SASL_PLAINTEXT"


def scram(s: Settings, user: User, given: str) -> dict[str, str]:
    """The options of librdkafka with which a user logs in to brokers of ours."""
    return {
        "security.protocol": protocol(s),
        "sasl.mechanism": MECHANISM,
        "sasl.username": user,
        "sasl.password": given,
        **({"ssl.ca.location": str(ca_file(s.home))} if s.has_tls else {}),
    }


def jaas(s: Settings, user: User, **more: str) -> str:
    """The line that names a user and its password for Java, with `more` options."""
    told = {"username": user.value, "password": password(s, user), **more}
    options = " ".join(f'{name}="{value}"' for name, value in told.items())
    return f"org.apache.kafka.common.security.scram.ScramLoginModule required {options};"


def files(s: Settings, user: User) -> tuple[Path, Path]:
    """All that librdkafka's and Java's clients need, the password too, a line each: only their owner reads them."""
    found = s.home / "kafka-clients" / f"{user}.conf", tools_file(s, user)
    for file, own in zip(found, (of_librdkafka(s, user), of_java(s, user)), strict=True):
        file.parent.mkdir(parents=True, exist_ok=True)
        put(
            file,
            "".join(f"{name}={value}\n" for name, value in {"bootstrap.servers": s.kafka_bootstrap, **own}.items()),
        )
    return found


def tools_file(s: Settings, user: User) -> Path:
    """What Java's clients, and so Kafka's own tools, are given."""
    return s.home / "kafka-clients" / f"{user}.properties"


def of_tools(s: Settings) -> str:
    """What a command of Kafka's own tools says of where, and of who."""
    who = f" --command-config {tools_file(s, User.OWNER)}" if _ours(s, User.OWNER) else ""
    return f"--bootstrap-server {s.kafka_bootstrap}{who}"


def _ours(s: Settings, user: User) -> bool:
    return s.embedded("kafka_bootstrap") and bool(password(s, user))

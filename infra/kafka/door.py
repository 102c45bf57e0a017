"""The brokers' door: who may log in at which port, and where refusals are written down.

Data flow: passwords of Settings -> `users`, `controllers` in a broker's folder (salted credentials, 0600), its configuration
Run: daybreak up --only kafka
Source: RFC 5802, "SCRAM Algorithm Overview"; Kafka's documentation, "Authorization and ACLs".

The users are in a file and not in Kafka's log (infra/kafka/java/daybreak/kafka): so a log that is older than its users is opened
as a new one is, controllers ask who comes before they have read theirs, and a password that is changed holds with the next start.
"""

import hashlib
import hmac
import secrets
from base64 import b64encode
from collections.abc import Collection
from pathlib import Path

from infra.failures import PermanentFailure
from infra.kafka.login import MECHANISM, jaas, password, protocol
from infra.kafka_users import User
from infra.owner_file import put
from infra.settings import Settings
from infra.tls.files import files

BROKERS, CONTROLLERS = "BROKER", "CONTROLLER"
"""The listeners: of brokers and clients, and of controllers."""
SUPER = (User.OWNER, User.BROKER)
"""Who may do everything; nobody else may log in at a controller's port."""
ITERATIONS = 4096
"""The fewest that Kafka takes, and a few milliseconds of each login: what we generate nobody guesses."""


def properties(s: Settings, folder: Path) -> dict[str, str]:
    """The part of a broker's configuration that holds the password of the brokers: for a file that only its owner reads."""
    own = {
        "listener.security.protocol.map": f"{BROKERS}:{protocol(s)},{CONTROLLERS}:{protocol(s)}",
        "inter.broker.listener.name": BROKERS,
        "sasl.enabled.mechanisms": MECHANISM,
        "sasl.mechanism.inter.broker.protocol": MECHANISM,
        "sasl.mechanism.controller.protocol": MECHANISM,
        # What nobody has been given a right to is refused.
        "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
        "allow.everyone.if.no.acl.found": "false",
        "super.users": ";".join(f"User:{user}" for user in SUPER),
    }
    for listener, file in ((BROKERS, users_file(folder)), (CONTROLLERS, controllers_file(folder))):
        start = f"listener.name.{listener.lower()}.{MECHANISM.lower()}.sasl"
        own[f"{start}.jaas.config"] = jaas(s, User.BROKER, users=str(file))
        own[f"{start}.server.callback.handler.class"] = "daybreak.kafka.Users"
    return own | (_encrypted(s) if s.has_tls else {})


def _encrypted(s: Settings) -> dict[str, str]:
    """Every listener has the one certificate. Brokers and controllers are each other's clients, and verify it too."""
    own = files(s)
    return {
        "ssl.keystore.type": "PEM",
        "ssl.keystore.location": str(own.key_and_certificate),
        "ssl.truststore.type": "PEM",
        "ssl.truststore.location": str(own.ca),
    }


def users_file(folder: Path) -> Path:
    """Who may log in at the broker's port."""
    return folder / "users"


def controllers_file(folder: Path) -> Path:
    """Who may log in at the controller's."""
    return folder / "controllers"


def write(s: Settings, folder: Path) -> None:
    """Write both files anew. Raises PermanentFailure if the brokers have no password: nobody shall log in without one."""
    if missing := [user for user in SUPER if not password(s, user)]:
        names = ", ".join(f"DAYBREAK_{user.setting.upper()}" for user in missing)
        raise PermanentFailure(f"Kafka has no password for everybody ({names}): daybreak up makes them")
    put(users_file(folder), _lines(s, User))
    put(controllers_file(folder), _lines(s, SUPER))


def _lines(s: Settings, users: Collection[User]) -> str:
    """A line each; a user without a password cannot log in."""
    return "".join(f"{user}={credential(password(s, user))}\n" for user in users if password(s, user))


def credential(text: str) -> str:
    """What a broker must know to believe a password, and from which nobody gets it back."""
    salt = secrets.token_bytes(16)
    salted = hashlib.pbkdf2_hmac("sha512", text.encode(), salt, ITERATIONS)
    stored = hashlib.sha512(_keyed(salted, b"Client Key")).digest()
    parts = {"salt": salt, "stored_key": stored, "server_key": _keyed(salted, b"Server Key")}
    told = ",".join(f"{name}={b64encode(value).decode()}" for name, value in parts.items())
    return f"{told},iterations={ITERATIONS}"


def _keyed(key: bytes, text: bytes) -> bytes:
    return hmac.digest(key, text, "sha512")

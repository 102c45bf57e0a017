"""The files that the queue broker reads at its start.

Data flow: Settings -> texts by file name
Run: daybreak up --with queue
Source: Artemis's manual 2.40, "Configuration Reference", "Address Settings", "Paging".
"""

from xml.sax.saxutils import escape

from infra.kafka.log4j import LOG4J
from infra.queue.broker import DEAD, USER
from infra.settings import Settings

RIGHTS = (
    *(f"{what}{kind}Queue" for what in ("create", "delete") for kind in ("Durable", "NonDurable")),
    *("createAddress", "deleteAddress", "send", "consume", "browse", "manage"),
)
DOMAIN = "queue"
PAGE_MB = 1
EXPIRED = "expired"
QUIET = """\
logger.audit.name = org.apache.activemq.audit
logger.audit.level = warn
"""
"""By default the broker logs every message that it takes and gives away."""


def files(s: Settings) -> dict[str, str]:
    """Text by name. `users.properties` has the password."""
    etc = s.home / "queue" / "etc"
    module = "org.apache.activemq.artemis.spi.core.security.jaas.PropertiesLoginModule"
    named = "org.apache.activemq.jaas.properties"
    return {
        "broker.xml": _broker(s),
        "bootstrap.xml": (
            '<broker xmlns="http://activemq.apache.org/schema">\n'
            f'  <jaas-security domain="{DOMAIN}"/>\n'
            f'  <server configuration="{escape((etc / "broker.xml").as_uri())}"/>\n'
            "</broker>\n"
        ),
        # It has no connector, so nobody reaches its JVM from outside.
        "management.xml": '<management-context xmlns="http://activemq.apache.org/schema"/>\n',
        "login.config": (
            f'{DOMAIN} {{ {module} required baseDir="{etc}" '
            f'{named}.user="users.properties" {named}.role="roles.properties"; }};\n'
        ),
        "users.properties": f"{USER} = {s.queue_password.get_secret_value()}\n",
        "roles.properties": f"{USER} = {USER}\n",
        "log4j2.properties": f"{LOG4J}{QUIET}",
    }


def _broker(s: Settings) -> str:
    data = s.home / "queue" / "data"
    places = {
        "paging-directory": data / "paging",
        "bindings-directory": data / "bindings",
        "journal-directory": data / "journal",
        "large-messages-directory": data / "large-messages",
    }
    own = {
        "name": "daybreak",
        "persistence-enabled": "true",
        # The other kind, with asynchronous calls of Linux, needs a library of the machine.
        "journal-type": "NIO",
        "journal-min-files": "2",
        "journal-pool-files": "2",
        "jmx-management-enabled": "false",
        # All queues together hold half the heap at most (the broker's default): what is beyond is on disk only.
        "min-disk-free": f"{s.queue_free_mb}M",
        **{name: escape(str(place)) for name, place in places.items()},
    }
    address = {
        "max-size-bytes": f"{s.queue_address_mb}M",
        "page-size-bytes": f"{PAGE_MB}M",
        "address-full-policy": "PAGE",
        "page-limit-bytes": f"{s.queue_disk_mb}M",
        "page-full-policy": "FAIL",
        # What one read of the disk brings into memory, per queue.
        "max-read-page-bytes": f"{s.queue_address_mb}M",
        "max-delivery-attempts": str(s.queue_attempts),
        "dead-letter-address": DEAD,
        "auto-create-dead-letter-resources": "true",
        "dead-letter-queue-prefix": f"{DEAD}.",
        # Nothing here expires; without a place for it the broker warns of every new queue.
        "expiry-address": EXPIRED,
    }
    rights = "".join(f'      <permission type="{right}" roles="{USER}"/>\n' for right in RIGHTS)
    return (
        '<configuration xmlns="urn:activemq">\n<core xmlns="urn:activemq:core">\n'
        f"{_lines(own)}"
        "  <acceptors>\n"
        f'    <acceptor name="stomp">tcp://127.0.0.1:{s.queue_port}?protocols=STOMP;useEpoll=false</acceptor>\n'
        "  </acceptors>\n"
        f'  <security-settings>\n    <security-setting match="#">\n{rights}    </security-setting>\n  </security-settings>\n'
        f'  <address-settings>\n    <address-setting match="#">\n{_lines(address)}    </address-setting>\n'
        "  </address-settings>\n</core>\n</configuration>\n"
    )


def _lines(values: dict[str, str]) -> str:
    return "".join(f"  <{name}>{value}</{name}>\n" for name, value in values.items())

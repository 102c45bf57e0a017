"""Kafka's ACLs, made to be what infra/kafka/rights.py says: what is missing is added, what is too much is taken away.

Data flow: grants of a platform, ACLs of the brokers -> those of our users
Run: daybreak up --only kafka

A second time it changes nothing. ACLs of users that are not ours stay as they are.
"""

from collections.abc import Iterator
from typing import Any

from confluent_kafka.admin import (  # type: ignore[attr-defined]
    AclBinding,
    AclBindingFilter,
    AclOperation,
    AclPermissionType,
    AdminClient,
    ResourcePatternType,
    ResourceType,
)

from infra.kafka import client
from infra.kafka.rights import grants
from infra.kafka.sent_topics import Sent
from infra.kafka_users import User
from infra.settings import Settings

SECONDS = 20
ANY: Any = None
EVERY = AclBindingFilter(
    ResourceType.ANY, ANY, ResourcePatternType.ANY, ANY, ANY, AclOperation.ANY, AclPermissionType.ANY
)


def write(s: Settings, sent: Sent) -> None:
    """Give each user what it is granted, and nothing else. Raises TransientFailure if Kafka does not answer."""
    with client.answers():
        admin = client.admin()
        wanted, there = set(wanted_of(s, sent)), _there(admin)
        for made in (admin.create_acls(sorted(wanted - there)) if wanted - there else {}).values():
            made.result(timeout=SECONDS)
        for gone in (admin.delete_acls([only(one) for one in there - wanted]) if there - wanted else {}).values():
            gone.result(timeout=SECONDS)


def wanted_of(s: Settings, sent: Sent) -> Iterator[AclBinding]:
    """One per user, resource and operation."""
    for user, own in grants(s, sent).items():
        for grant in own:
            pattern = ResourcePatternType.PREFIXED if grant.is_prefix else ResourcePatternType.LITERAL
            for may in grant.may:
                yield AclBinding(grant.on, grant.name, pattern, f"User:{user}", "*", may, AclPermissionType.ALLOW)


def _there(admin: AdminClient) -> set[AclBinding]:
    ours = {f"User:{user}" for user in User}
    return {one for one in admin.describe_acls(EVERY).result(timeout=SECONDS) if one.principal in ours}


def only(one: AclBinding) -> AclBindingFilter:
    """What finds this one."""
    return AclBindingFilter(
        one.restype, one.name, one.resource_pattern_type, one.principal, one.host, one.operation, one.permission_type
    )

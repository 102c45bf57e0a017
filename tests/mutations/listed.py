"""All mutations, in the order of the data.

Data flow: the layers' lists -> MUTATIONS
Run: python -m tests.mutations --list
"""

from tests.mutations.alarms import ALARMS
from tests.mutations.audited import AUDITED
from tests.mutations.brokers import BROKEN
from tests.mutations.captured import CAPTURED
from tests.mutations.changelogs import CHANGELOGS
from tests.mutations.cluster import CLUSTER
from tests.mutations.declared import DECLARED
from tests.mutations.doors import DOORS
from tests.mutations.explained import EXPLAINED
from tests.mutations.fenced import FENCED
from tests.mutations.fuzzed import FUZZED
from tests.mutations.golden import GOLDEN
from tests.mutations.kafka_doors import KAFKA_DOORS
from tests.mutations.kept import KEPT
from tests.mutations.labs import LABS
from tests.mutations.lineage import LINEAGE
from tests.mutations.metrics import METRICS
from tests.mutations.night import NIGHT
from tests.mutations.notify import NOTIFY
from tests.mutations.orders import ORDERS
from tests.mutations.pages import PAGES
from tests.mutations.planned import PLANNED
from tests.mutations.postgres_doors import POSTGRES_DOORS
from tests.mutations.projects import PROJECTS
from tests.mutations.proposed import PROPOSED
from tests.mutations.queue import QUEUE
from tests.mutations.rotated import ROTATED
from tests.mutations.shown import SHOWN
from tests.mutations.store_doors import STORE_DOORS
from tests.mutations.stores import STORES
from tests.mutations.stream import STREAM
from tests.mutations.supplied import SUPPLIED
from tests.mutations.tasks import TASKS
from tests.mutations.tls import TLS
from tests.mutations.versions import VERSIONS
from tests.mutations.views import VIEWS_AND_CONTRACTS
from tests.mutations.webhooks import WEBHOOKS

MUTATIONS = (
    *VIEWS_AND_CONTRACTS,
    *PROJECTS,
    *DECLARED,
    *GOLDEN,
    *PROPOSED,
    *CHANGELOGS,
    *VERSIONS,
    *CAPTURED,
    *ORDERS,
    *WEBHOOKS,
    *NOTIFY,
    *QUEUE,
    *BROKEN,
    *CLUSTER,
    *STREAM,
    *NIGHT,
    *KEPT,
    *TASKS,
    *SHOWN,
    *METRICS,
    *LINEAGE,
    *EXPLAINED,
    *PLANNED,
    *STORES,
    *FENCED,
    *FUZZED,
    *DOORS,
    *KAFKA_DOORS,
    *STORE_DOORS,
    *AUDITED,
    *POSTGRES_DOORS,
    *TLS,
    *PAGES,
    *ROTATED,
    *ALARMS,
    *LABS,
    *SUPPLIED,
)

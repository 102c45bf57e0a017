"""Three brokers, and a Spark cluster of two workers with a core each, as infra/README.md tells: the platform of this folder."""

from collections.abc import Iterator

import pytest
from fewer import leave_few
from on_cluster import OnCluster
from running import VIEWS
from spark_cluster import Cluster
from started import CLUSTER_PORTS, CORE, HOMES, WORKER, started
from tutorial import copied

from infra import secrets
from infra.settings import Settings, load


def with_secret(home: str) -> Settings:
    """The settings of a home that holds a cluster's secret before anything of the platform starts."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DAYBREAK_HOME", home)
        secrets.ensure(load())
        return load()


@pytest.fixture(scope="session")
def both(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OnCluster]:
    source = leave_few(copied(tmp_path_factory.mktemp("cluster tree")), VIEWS)
    made = with_secret(str(tmp_path_factory.mktemp("secret")))
    cluster = Cluster(tmp_path_factory.mktemp("cluster"), made)
    try:
        cluster.worker()
        cluster.worker()
        secret = made.spark_secret.get_secret_value()
        own = cluster.settings(DAYBREAK_SPARK_SECRET=secret, DAYBREAK_KAFKA_BROKERS="3")
        with started(HOMES / f"cluster-{WORKER}", CLUSTER_PORTS, source, own, f"{CORE},gateway") as platform:
            yield OnCluster(platform, cluster)
    finally:
        cluster.stop()

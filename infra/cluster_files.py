"""The configuration of a Spark standalone master and its workers, who share our drivers' secret.

Data flow: Settings -> `<folder>/{spark-defaults.conf,spark-env.sh,log4j2.properties}` (0600 in 0700)
Run: daybreak cluster-conf FOLDER
"""

from pathlib import Path

from infra import owner_only
from infra.cluster_conf import guarded
from infra.failures import PermanentFailure
from infra.owner_file import put
from infra.settings import Settings
from infra.spark_conf import LOG4J

DAEMONS = {
    # It asks nobody for a secret.
    "spark.master.rest.enabled": "false",
    # Nor does a page: it shows, and ends nothing.
    "spark.ui.killEnabled": "false",
    "spark.deploy.retainedApplications": "50",
    # Else what an application's executors left stays for ever.
    "spark.worker.cleanup.enabled": "true",
}
FILES = ("spark-defaults.conf", "spark-env.sh", "log4j2.properties")
ENVIRONMENT = """\
# The pages of master and workers, which ask nobody who he is. Their other listeners are at `--host`.
export SPARK_LOCAL_IP=127.0.0.1
export SPARK_DAEMON_MEMORY=${SPARK_DAEMON_MEMORY:-256m}
export SPARK_DAEMON_JAVA_OPTS="-XX:+ExitOnOutOfMemoryError"
umask 077
"""


def write(s: Settings, folder: Path) -> Path:
    """Write them for a master at any `spark://` address; the folder is the SPARK_CONF_DIR of master and workers.

    Raises PermanentFailure if something else is in the folder: from now on only its owner may read it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    if others := sorted({file.name for file in folder.iterdir()} - {*FILES}):
        raise PermanentFailure(f"{folder} has other files ({', '.join(others[:3])}): name a folder for these alone")
    owner_only.close(folder)
    conf = guarded(s.model_copy(update={"spark_master": "spark://"})) | DAEMONS
    lines = "".join(f"{key} {value}\n" for key, value in conf.items())
    for name, text in zip(FILES, (lines, ENVIRONMENT, LOG4J), strict=True):
        put(folder / name, text)
    return folder

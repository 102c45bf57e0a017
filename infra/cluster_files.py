"""The configuration of a Spark standalone master and its workers, who share our drivers' secret.

Data flow: Settings -> `<folder>/{spark-defaults.conf,spark-env.sh,log4j2.properties,daybreak.jar}` (0600 in 0700)
Run: daybreak cluster-conf FOLDER
"""

import shutil
from pathlib import Path

from infra import owner_only, spark_page
from infra.cluster_conf import guarded
from infra.failures import PermanentFailure
from infra.installation import SET_UP
from infra.owner_file import put
from infra.settings import Settings
from infra.setup.compiled import JAR
from infra.spark_conf import log4j

DAEMONS = {
    # It asks nobody for a secret.
    "spark.master.rest.enabled": "false",
    "spark.deploy.retainedApplications": "50",
    # Else what an application's executors left stays for ever.
    "spark.worker.cleanup.enabled": "true",
}
FILES = ("spark-defaults.conf", "spark-env.sh", "log4j2.properties", JAR.name)
ENVIRONMENT = f"""\
# The pages of master and workers, whose password travels in the clear. Their other listeners are at `--host`.
export SPARK_LOCAL_IP=127.0.0.1
# What makes a page ask for it. Without this file they do not start.
export SPARK_DAEMON_CLASSPATH="$SPARK_CONF_DIR/{JAR.name}"
export SPARK_DAEMON_MEMORY=${{SPARK_DAEMON_MEMORY:-256m}}
export SPARK_DAEMON_JAVA_OPTS="-XX:+ExitOnOutOfMemoryError"
umask 077
"""


def write(s: Settings, folder: Path) -> Path:
    """Write them for a master at any `spark://` address; the folder is the SPARK_CONF_DIR of master and workers.

    Raises PermanentFailure if something else is in the folder: from now on only its owner may read it.
    """
    if not JAR.is_file():
        raise PermanentFailure(f"{JAR} is missing: run `{SET_UP}`")
    folder.mkdir(parents=True, exist_ok=True)
    if others := sorted({file.name for file in folder.iterdir()} - {*FILES}):
        raise PermanentFailure(f"{folder} has other files ({', '.join(others[:3])}): name a folder for these alone")
    owner_only.close(folder)
    conf = guarded(s.model_copy(update={"spark_master": "spark://"})) | spark_page.guarded(s) | DAEMONS
    lines = "".join(f"{key} {value}\n" for key, value in conf.items())
    for name, text in zip(FILES, (lines, ENVIRONMENT, log4j(s)), strict=False):
        put(folder / name, text)
    shutil.copyfile(JAR, folder / JAR.name)
    owner_only.close(folder / JAR.name)
    return folder

"""The archive of classes that set-up has written: what a Spark program's JVM needs to use it.

Data flow: `<home>/jars/spark.jsa`, class path -> options of a JVM
Run: pytest tests/infra/test_class_archive.py
"""

from importlib.util import find_spec
from pathlib import Path

from infra.settings import Settings
from infra.setup.classes import ARCHIVE, IN_PLACE, classpath
from infra.tls.files import OPENS, files
from infra.tls.trust import of_the_store


def spark_jvm(s: Settings, more: str = "") -> list[str]:
    """The options of a Spark program's JVM, as `Settings.jvm`; with the archive where set-up could write one."""
    archive = (s.home / "jars" / ARCHIVE.name).resolve()
    # With other jars or another Java, the JVM would say at each start that it goes on without.
    quiet = ("-Xlog:cds=off", "-Xlog:cds+dynamic=off")
    shared = [f"-XX:SharedArchiveFile={archive}", *quiet, *IN_PLACE] if archive.is_file() else []
    return [*s.jvm(more), *trusting(s), *shared]


def trusting(s: Settings) -> list[str]:
    """What lets a JVM's S3 client take the embedded store's certificate: the JVM has one list of CAs for whatever it talks to."""
    if not of_the_store(s):
        return []
    # It is no secret: Java opens no such file without one.
    told = {"": files(s).trusted_by_java, "Type": "PKCS12", "Password": OPENS}
    return [f"-Djavax.net.ssl.trustStore{name}={value}" for name, value in told.items()]


def spark_classpath(s: Settings) -> str:
    """Our jars and pyspark's, as the archive was written with. Spark puts its own behind it once more, which does no harm."""
    found = find_spec("pyspark")
    assert found
    assert found.origin
    return classpath(s.home / "jars" / "spark", Path(found.origin).parent / "jars")

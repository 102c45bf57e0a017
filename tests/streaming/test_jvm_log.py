"""What Spark's JVM logs has the names of our own objects, so that one program's log has one form."""

import json
from pathlib import Path

from pyspark.sql import SparkSession

from infra.settings import Settings
from infra.spark_conf import LOG4J, log4j


def test_a_line_of_the_jvm_is_an_object(spark: SparkSession, tmp_path: Path) -> None:
    text = log4j(Settings(home=tmp_path, log_format="json"))
    assert log4j(Settings(home=tmp_path)) == LOG4J
    (tmp_path / "log4j2.properties").write_text(text)
    jvm = spark.sparkContext._jvm
    assert jvm
    context = jvm.org.apache.logging.log4j.core.LoggerContext("tried")
    context.setConfigLocation(jvm.java.io.File(str(tmp_path / "log4j2.properties")).toURI())
    context.start()
    layout = context.getConfiguration().getAppender("stderr").getLayout()
    event = jvm.org.apache.logging.log4j.core.impl.Log4jLogEvent.newBuilder()
    event.setLoggerName("org.apache.spark.executor").setLevel(jvm.org.apache.logging.log4j.Level.WARN)
    event.setMessage(jvm.org.apache.logging.log4j.message.SimpleMessage('two\n"lines"')).setTimeMillis(1000)
    event.setThrown(jvm.java.io.IOException("gone"))
    (line,) = layout.toSerializable(event.build()).splitlines()
    found = json.loads(line)
    trace = found.pop("exception")
    assert found == {
        "time": "1970-01-01T00:00:01.000Z",
        "level": "WARN",
        "logger": "org.apache.spark.executor",
        "message": 'two\n"lines"',
    }
    assert trace.startswith("java.io.IOException: gone")
    context.stop()

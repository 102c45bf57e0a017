"""How the broker and Kafka Connect log: to standard output, from where supervisor takes it.

Data flow: constant -> log4j2.properties of each
Run: daybreak logs kafka
"""

from pathlib import Path

LOG4J = """\
rootLogger.level = info
rootLogger.appenderRef.out.ref = out
appender.out.type = Console
appender.out.name = out
appender.out.layout.type = PatternLayout
appender.out.layout.pattern = %d %p %m (%c)%n%ex
logger.quiet.name = org.apache.kafka.common.config.AbstractConfig
logger.quiet.level = warn
"""
AUDIT_MB = 5
"""Of the log of refusals, and as much again of the one before it."""


def audited(file: Path) -> str:
    """More lines for a broker: who was refused what goes to a file of its own, and so do logins that failed."""
    return f"""\
appender.audit.type = RollingFile
appender.audit.name = audit
appender.audit.fileName = {file}
appender.audit.filePattern = {file}.%i
appender.audit.layout.type = PatternLayout
appender.audit.layout.pattern = %d{{ISO8601_OFFSET_DATE_TIME_HHCMM}} %m%n
appender.audit.policies.type = Policies
appender.audit.policies.size.type = SizeBasedTriggeringPolicy
appender.audit.policies.size.size = {AUDIT_MB}MB
appender.audit.strategy.type = DefaultRolloverStrategy
appender.audit.strategy.max = 1
logger.refused.name = kafka.authorizer.logger
logger.refused.level = info
logger.refused.additivity = false
logger.refused.appenderRef.audit.ref = audit
logger.login.name = org.apache.kafka.common.network.Selector
logger.login.level = info
logger.login.additivity = false
logger.login.appenderRef.audit.ref = audit
"""

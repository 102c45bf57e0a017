"""How the broker and Kafka Connect log: to standard output, from where supervisor takes it.

Data flow: constant -> log4j2.properties of each
Run: daybreak logs kafka
"""

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

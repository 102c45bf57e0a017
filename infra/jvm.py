"""Options by which our JVMs differ from Java's defaults.

Data flow: constants -> Settings
Run: daybreak doctor
"""

LATER_C2 = (
    "-XX:Tier4InvocationThreshold=50000 -XX:Tier4MinInvocationThreshold=6000 "
    "-XX:Tier4CompileThreshold=150000 -XX:Tier4BackEdgeThreshold=400000"
)
"""The JVM's second compiler (C2) takes a method ten times later than by default. By default it takes half of a short
program's CPU; without it, planning takes twice as long (figures: infra/README.md)."""
QUICK_JVM = f"{LATER_C2} -XX:ReservedCodeCacheSize=240m -XX:NewSize=400m -XX:MetaspaceSize=256m"
"""JVM options for a process that lives for minutes: a large young generation saves collections, a fifteenth of its CPU."""

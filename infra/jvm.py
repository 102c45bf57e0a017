"""Options by which our JVMs differ from Java's defaults.

Data flow: constants -> Settings
Run: daybreak doctor
"""

import re

from infra.out_of_memory import ENDS, GOES_ON

LATER_C2 = (
    "-XX:Tier4InvocationThreshold=50000 -XX:Tier4MinInvocationThreshold=6000 "
    "-XX:Tier4CompileThreshold=150000 -XX:Tier4BackEdgeThreshold=400000"
)
"""The JVM's second compiler (C2) takes a method ten times later than by default. By default it takes half of a short
program's CPU; without it, planning takes twice as long (figures: infra/README.md)."""
ONE_COMPILER = "-XX:TieredStopAtLevel=1"
"""Without C2, and without the counters it asks for. A program whose code is small, or which lives for a minute, takes less
CPU to its end (figures: infra/README.md)."""
LARGE_YOUNG = "-XX:ReservedCodeCacheSize=240m -XX:NewSize=400m -XX:MetaspaceSize=256m"
"""For Spark in a process that lives for minutes: a large young generation saves collections, a fifteenth of its CPU."""
QUICK_JVM = f"{LATER_C2} {LARGE_YOUNG}"
SHARED_JVM = f"{QUICK_JVM} {GOES_ON} -XX:+UseParallelGC -XX:GCTimeLimit=80 -XX:GCHeapFreeLimit=10"
"""For the SQL gateway, whose statements share a heap. The serial collector lets one that fills it go on for minutes, a collection
for every few rows, and all others wait; this one fails a thread that asks for memory when collecting takes most of the time."""


def base(more: str = "") -> list[str]:
    """The first options of each JVM. `more` are its own, e.g. QUICK_JVM: what these choose is left to them."""
    collector = () if re.search(r"-XX:\+Use\w+GC\b", more) else ("-XX:+UseSerialGC",)
    return ["-Duser.timezone=UTC", *collector, *(() if GOES_ON in more else (ENDS,))]

package daybreak.state;

/** What a large part still owes its views: events that touch them, and were not given yet, because more of them come. */
final class Owed {
  /** The views, as bits; the events that were not given, the earliest time of one, and how many it had when all was given. */
  long views = 0, first = Long.MAX_VALUE, looked = 0;
  int count = 0;
  private int entries = 0;

  /** An OWED or LOOKED. Returns how many entries before it are of no use any more. */
  int take(Entry entry) {
    if (entry.type() == Entry.LOOKED) {
      int before = entries;
      clear();
      looked = entry.time();
      entries = 1;
      return before;
    }
    add(entry.ref(), entry.time(), entry.views());
    entries++;
    return 0;
  }

  void add(int events, long time, long touched) {
    if (touched == 0) return;
    count += events;
    first = Math.min(first, time);
    views |= touched;
  }

  /**
   * May the views wait for what they are owed? Not when it is much, and not when the watermark, which will be `next`, passes the earliest
   * of it: until then no row that it may change is final.
   */
  boolean mayWait(Layout.Form form, long next) {
    return next != Long.MIN_VALUE && looked >= form.large() && count * form.share() < looked && next <= first;
  }

  void clear() {
    views = 0;
    first = Long.MAX_VALUE;
    count = 0;
  }
}

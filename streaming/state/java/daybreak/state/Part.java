package daybreak.state;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.spark.unsafe.types.UTF8String;

/** A part in one micro-batch: what its logs say, what is added to them, and which views it is given to. */
final class Part {
  record RowKey(int view, UTF8String key) {}

  private static final String BETWEEN = "\u001f";

  final Key key;
  /** What comes in with this step: its events, and all else. */
  List<Entry> added = new ArrayList<>(), noted = new ArrayList<>();
  Map<RowKey, Entry> open = new HashMap<>();
  /** Open rows that the watermark passes in this step; of these `ended` are the ones that become final as they were. */
  List<RowKey> due = new ArrayList<>();
  Map<RowKey, Entry> ended = new HashMap<>();
  Set<UTF8String> looks = new HashSet<>();
  /** Its events, oldest entry first; null if they were not read, or were too many to be held. */
  List<Entry> events;
  /** The bytes that these hold. */
  long held = 0;
  /** Whom this step touches, from what time on; `changed`: some because of what they look up. */
  long views = 0, first = Long.MAX_VALUE;
  boolean changed = false;
  /** Of a large part all but the events is in a log of its own. */
  boolean apart = false;
  final Owed owed = new Owed();
  long latest = Long.MIN_VALUE;
  /** The next time at which it will be looked at; the largest number if there is none. */
  long wake = Long.MAX_VALUE;
  /** Entries of its log, or of the one of its rows if that is apart; those of no use any more; and events. */
  int entries = 0, outdated = 0, count = 0;
  Set<Long> wakes = new HashSet<>();
  private Map<Integer, Long> since = new HashMap<>(2);
  private int rows = 0, grown = 0;
  private Set<UTF8String> known = new HashSet<>();

  Part(Key key) {
    this.key = key;
  }

  /** Take an entry of a log; times before `next` have come. */
  void take(Entry entry, long next) {
    if (entry.type() == Entry.EVENT) {
      event(entry);
      return;
    }
    entries++;
    switch (entry.type()) {
      case Entry.WAKE -> {
        if (entry.time() < next || !wakes.add(entry.time())) outdated++;
        else wake = Math.min(wake, entry.time());
      }
      case Entry.GONE -> {
        rows++;
        open.remove(new RowKey(entry.ref(), entry.text()));
      }
      case Entry.ROW -> {
        rows++;
        open.put(new RowKey(entry.ref(), entry.text()), entry);
      }
      case Entry.GREW -> {
        if (grown++ > 0) outdated++;
        latest = Math.max(latest, entry.time());
        count += entry.ref();
      }
      default -> outdated += owed.take(entry);
    }
  }

  private void event(Entry entry) {
    if (!apart) {
      entries++;
      latest = Math.max(latest, entry.time());
      count++;
    }
    if (entry.text() != null) for (UTF8String look : lookups(entry)) looks.add(look);
    if (events == null) return;
    events.add(entry);
    held += 96 + entry.body().length;
  }

  /** All that was known of its rows was taken. */
  void folded() {
    outdated += rows - open.size();
  }

  /** All events that it had were taken. */
  void knew() {
    known.addAll(looks);
  }

  /** That its events are more by those that come in. */
  Entry grew() {
    long last = Long.MIN_VALUE;
    for (Entry event : added) last = Math.max(last, event.time());
    return Entry.grew(added.size(), last);
  }

  /** From when on any of the views of its kind needs its events. */
  long needed(Layout.Form form, long watermark) {
    long oldest = Long.MAX_VALUE;
    for (int number = 0; number < form.views().size(); number++) {
      Layout.View view = form.views().get(number);
      if (view.kind() != key.kind()) continue;
      since.put(number, Needed.since(this, number, view, watermark));
      oldest = Math.min(oldest, since.get(number));
    }
    return oldest;
  }

  /** How many of its events nobody needs. */
  int before(long oldest) {
    int found = 0;
    if (events != null) for (Entry event : events) if (event.time() < oldest) found++;
    return found;
  }

  /** It was written: from here on it has what its views are given, and no more. */
  void written() {
    added = noted = List.of();
    due = List.of();
    wakes = Set.of();
    known = Set.of();
    if (open.isEmpty()) open = Map.of();
    if (ended.isEmpty()) ended = Map.of();
    if (looks.isEmpty()) looks = Set.of();
    if (views != 0) return;
    since = Map.of();
    events = null;
    held = 0;
  }

  /** From when on a view needs its events, if they were read. */
  long since(int view, long otherwise) {
    return since.getOrDefault(view, otherwise);
  }

  /** What it looks up for the first time. */
  List<UTF8String> newLooks() {
    List<UTF8String> found = new ArrayList<>();
    for (UTF8String look : looks) if (!known.contains(look)) found.add(look);
    return found;
  }

  static UTF8String[] lookups(Entry event) {
    UTF8String between = UTF8String.fromString(BETWEEN), text = event.text();
    // Text of one lookup is taken whole, whatever its key is.
    return text.startsWith(between) ? text.substring(1, text.numChars()).split(between, -1) : new UTF8String[] {text};
  }
}

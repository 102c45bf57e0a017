package daybreak.state;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.spark.unsafe.types.UTF8String;

/** A part in one micro-batch: what its log says, what is added to it, and which views it is given to. */
final class Part {
  record RowKey(int view, UTF8String key) {}

  private static final String BETWEEN = "\u001f";

  final Key key;
  final List<Entry> added = new ArrayList<>();
  final Map<RowKey, Entry> open = new HashMap<>();
  /** Open rows that the watermark passes in this step; of these `ended` are the ones that become final as they were. */
  final List<RowKey> due = new ArrayList<>();
  final Map<RowKey, Entry> ended = new HashMap<>();
  final Set<UTF8String> looks = new HashSet<>();
  /** Its events, oldest entry first; null if its log was not read, or they were too many to be held. */
  List<Entry> events;
  long views = 0;
  long latest = Long.MIN_VALUE;
  /** The next time at which it will be looked at; the largest number if there is none. */
  long wake = Long.MAX_VALUE;
  int entries = 0, outdated = 0, count = 0;
  final Set<Long> wakes = new HashSet<>();
  private final Map<Integer, Long> since = new HashMap<>();
  private int rows = 0;
  private final Set<UTF8String> known = new HashSet<>();

  Part(Key key) {
    this.key = key;
  }

  /** Take an entry of the log; times before `next` have come. Returns the bytes that it holds. */
  long take(Entry entry, long next) {
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
      default -> {
        latest = Math.max(latest, entry.time());
        count++;
        if (entry.text() != null) for (UTF8String look : lookups(entry)) looks.add(look);
        if (events != null) {
          events.add(entry);
          return 96 + entry.body().length;
        }
      }
    }
    return 0;
  }

  /** All that the log had was taken. */
  void folded() {
    known.addAll(looks);
    outdated += rows - open.size();
  }

  /** From when on any of the views of its kind needs its events; counts those before it. */
  long needed(Layout.Form form, long watermark) {
    long oldest = Long.MAX_VALUE;
    for (int number = 0; number < form.views().size(); number++) {
      Layout.View view = form.views().get(number);
      if (view.kind() != key.kind()) continue;
      since.put(number, Needed.since(this, number, view, watermark));
      oldest = Math.min(oldest, since.get(number));
    }
    if (events != null) for (Entry event : events) if (event.time() < oldest) outdated++;
    return oldest;
  }

  /** From when on a view needs its events, if its log was read. */
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

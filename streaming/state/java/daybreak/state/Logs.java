package daybreak.state;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.spark.unsafe.types.UTF8String;

/** How a part's log is written: added to, written anew when most of it is of no use, or dropped. */
final class Logs {
  /** A log is written anew if more than so many of its entries are outdated, and more than half. */
  static final int FEW = 16;

  /** Events that are kept no more. */
  long dropped = 0;
  private final Step step;
  private final Store store;
  private final Layout.Form form;
  private final long next;

  Logs(Step step, Store store, long next) {
    this.step = step;
    this.store = store;
    this.form = step.layout.form;
    this.next = next;
  }

  /** Of a part that is touched, or whose time has come. */
  void write(Part part) {
    Layout.Kind kind = form.kinds().get(part.key.kind());
    long oldest = step.read(part);
    long closes = Long.MAX_VALUE;
    for (Map.Entry<Part.RowKey, Entry> one : part.open.entrySet()) {
      if (one.getValue().time() < next) part.due.add(one.getKey());
      else closes = Math.min(closes, one.getValue().time());
    }
    long forget = last(part, kind.size()) + kind.span();
    end(part);
    if (part.views == 0 && part.open.isEmpty() && forget < next) {
      store.remove(part.key);
      for (UTF8String look : part.looks) store.looksNoMore(part.key, look);
      dropped += part.count;
      return;
    }
    if (part.wake > Math.min(closes, forget)) {
      part.wake = Math.min(closes, forget);
      part.wakes.add(part.wake);
      part.added.add(Entry.wake(part.wake));
      store.wake(part.key, part.wake);
    }
    for (UTF8String look : part.newLooks()) store.looks(part.key, look);
    if (part.events != null && part.outdated > FEW && 2 * part.outdated > part.entries) store.replace(part.key, compacted(part, oldest));
    else if (!part.added.isEmpty()) store.append(part.key, part.added);
  }

  /** A row that becomes final as it was need not be computed again. */
  private static void end(Part part) {
    for (Part.RowKey row : part.due) {
      if ((part.views & 1L << row.view()) != 0) continue;
      Entry entry = part.open.remove(row);
      part.ended.put(row, entry);
      part.added.add(new Entry(Entry.GONE, row.view(), entry.time(), row.key(), null));
    }
  }

  private List<Entry> compacted(Part part, long oldest) {
    List<Entry> kept = new ArrayList<>(part.open.values());
    for (Entry event : part.events) {
      if (event.time() >= oldest) kept.add(event);
      else dropped++;
    }
    for (long wake : part.wakes) kept.add(Entry.wake(wake));
    return kept;
  }

  /** Add to a part without looking at it. */
  void fill(Part part) {
    long latest = Long.MIN_VALUE;
    for (Entry entry : part.added) {
      if (entry.type() != Entry.EVENT) continue;
      latest = Math.max(latest, entry.time());
      if (entry.text() != null) for (UTF8String look : Part.lookups(entry)) store.looks(part.key, look);
    }
    long wake = latest + form.kinds().get(part.key.kind()).span();
    part.added.add(Entry.wake(wake));
    store.wake(part.key, wake);
    store.append(part.key, part.added);
  }

  /** Of the changes known before a time only the last of each key is needed. */
  void write(Key key, List<Entry> added) {
    List<Entry> all = new ArrayList<>();
    store.each(key, all::add);
    all.addAll(added);
    List<Entry> kept = Changes.shortened(all, step.oldest(form.changes()), form.fields());
    int outdated = all.size() - kept.size();
    if (outdated > FEW && 2 * kept.size() < all.size()) {
      dropped += outdated;
      store.replace(key, kept);
    } else store.append(key, added);
  }

  /** The time of its last event. A part may have rows and no events: a window is known by its own end, then. */
  private long last(Part part, long size) {
    if (size != 0) return Math.max(part.latest, (part.key.window() + 1) * size);
    if (part.latest != Long.MIN_VALUE) return part.latest;
    return part.open.isEmpty() ? Long.MIN_VALUE / 2 : next;
  }
}

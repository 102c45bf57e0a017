package daybreak.state;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.spark.unsafe.types.UTF8String;

/** How a part's logs are written: added to, written anew when most of one is of no use, taken apart, or dropped. */
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

  /** To a part that is not touched: rows that were said of it, and times. */
  void add(Part part) {
    note(part.key, part.noted, store.isApart(part.key));
  }

  /** Of a part that is touched, or whose time has come. */
  void write(Part part) {
    Layout.Kind kind = form.kinds().get(part.key.kind());
    step.read(part);
    long oldest = given(part);
    long closes = Long.MAX_VALUE;
    for (Map.Entry<Part.RowKey, Entry> one : part.open.entrySet()) {
      if (one.getValue().time() < next) part.due.add(one.getKey());
      else closes = Math.min(closes, one.getValue().time());
    }
    long forget = last(part, kind.size()) + kind.span();
    end(part);
    // Rows of later windows that come in with this step still look back at it.
    long over = kind.back() == 0 ? next : step.oldest(0);
    if (part.views == 0 && part.owed.views == 0 && part.open.isEmpty() && forget < over) {
      drop(part);
      return;
    }
    if (part.wake > Math.min(closes, forget)) {
      part.wake = Math.min(closes, forget);
      part.wakes.add(part.wake);
      part.noted.add(Entry.wake(part.wake));
      store.wake(part.key, part.wake);
    }
    for (UTF8String look : part.newLooks()) store.looks(part.key, look);
    if (part.apart) writeApart(part, oldest);
    else if (part.events != null && part.count >= form.many()) takeApart(part, oldest);
    else if (part.events != null && isOld(part.outdated + part.before(oldest), part.entries)) store.replace(part.key, together(part, oldest));
    else {
      store.append(part.key, part.added);
      store.append(part.key, part.noted);
    }
  }

  /** Give the views what touches them and what they are owed, or let them wait for more. Returns from when on its events are needed. */
  private long given(Part part) {
    part.owed.add(part.added.size(), part.first, part.views);
    if (step.spares() && part.apart && !part.changed && part.owed.mayWait(form, next)) {
      if (part.views != 0) part.noted.add(Entry.owed(part.added.size(), part.first, part.views));
      part.views = 0;
      // So that the next step asks again.
      store.wake(part.key, Store.ALWAYS);
      for (Entry event : part.added) if (event.text() != null) for (UTF8String look : Part.lookups(event)) store.looks(part.key, look);
      return Long.MIN_VALUE;
    }
    part.views = part.owed.views;
    if (part.views == 0) return part.apart ? Long.MIN_VALUE : step.needed(part);
    if (part.apart) step.events(part);
    if (part.count >= form.large() || part.owed.count > part.added.size()) {
      Entry looked = Entry.looked(part.count);
      part.noted.add(looked);
      part.entries++;
      part.outdated += part.owed.take(looked);
    }
    part.owed.clear();
    return step.needed(part);
  }

  /** A row that becomes final as it was need not be computed again. */
  private static void end(Part part) {
    for (Part.RowKey row : part.due) {
      if ((part.views & 1L << row.view()) != 0) continue;
      Entry entry = part.open.remove(row);
      part.ended.put(row, entry);
      part.noted.add(new Entry(Entry.GONE, row.view(), entry.time(), row.key(), null));
    }
  }

  private void drop(Part part) {
    if (part.apart && step.layout.looksUp(part.key.kind())) step.events(part);
    store.remove(part.key);
    for (UTF8String look : part.looks) store.looksNoMore(part.key, look);
    dropped += part.count;
    part.count = 0;
  }

  private static boolean isOld(int outdated, int all) {
    return outdated > FEW && 2 * outdated > all;
  }

  private void writeApart(Part part, long oldest) {
    if (part.events != null && isOld(part.before(oldest), part.count)) {
      int before = part.count;
      store.replace(part.key, needed(part, oldest));
      part.noted.add(Entry.grew(part.count - before, part.latest));
    } else store.append(part.key, part.added);
    if (isOld(part.outdated, part.entries)) store.replaceRows(part.key, rest(part));
    else store.appendRows(part.key, part.noted);
  }

  private void takeApart(Part part, long oldest) {
    store.replace(part.key, needed(part, oldest));
    part.owed.looked = part.count;
    store.replaceRows(part.key, rest(part));
  }

  private List<Entry> together(Part part, long oldest) {
    List<Entry> kept = new ArrayList<>(part.open.values());
    kept.addAll(needed(part, oldest));
    for (long wake : part.wakes) kept.add(Entry.wake(wake));
    return kept;
  }

  /** Its events that are still needed: it has only these now. */
  private List<Entry> needed(Part part, long oldest) {
    List<Entry> kept = new ArrayList<>();
    for (Entry event : part.events) if (event.time() >= oldest) kept.add(event);
    dropped += part.events.size() - kept.size();
    part.count = kept.size();
    return kept;
  }

  /** All that is known of a part beside its events, in as few entries as can be. */
  private List<Entry> rest(Part part) {
    List<Entry> kept = new ArrayList<>(part.open.values());
    for (long wake : part.wakes) kept.add(Entry.wake(wake));
    kept.add(Entry.grew(part.count, part.latest));
    kept.add(Entry.looked(part.owed.looked));
    if (part.owed.views != 0) kept.add(Entry.owed(part.owed.count, part.owed.first, part.owed.views));
    return kept;
  }

  private void note(Key key, List<Entry> entries, boolean apart) {
    if (apart) store.appendRows(key, entries);
    else store.append(key, entries);
  }

  /** Add to a part without looking at it. */
  void fill(Part part) {
    boolean apart = store.isApart(part.key);
    long latest = Long.MIN_VALUE;
    for (Entry entry : part.added) {
      latest = Math.max(latest, entry.time());
      if (entry.text() != null) for (UTF8String look : Part.lookups(entry)) store.looks(part.key, look);
    }
    long wake = latest + form.kinds().get(part.key.kind()).span();
    part.noted.add(Entry.wake(wake));
    store.wake(part.key, wake);
    if (apart && !part.added.isEmpty()) part.noted.add(part.grew());
    store.append(part.key, part.added);
    note(part.key, part.noted, apart);
  }

  /** Of a store that was filled: what a large part owed its views is not known, so it may be all. */
  void owe(long watermark) {
    for (Key key : store.large(form.large())) {
      long views = 0;
      for (int view = 0; view < form.views().size(); view++) if (form.views().get(view).kind() == key.kind()) views |= 1L << view;
      note(key, List.of(Entry.owed(0, watermark, views)), store.isApart(key));
      store.wake(key, Store.ALWAYS);
    }
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

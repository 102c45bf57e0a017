package daybreak.state;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.unsafe.types.UTF8String;
import scala.collection.Iterator;

/** What comes in with a micro-batch: which part it is added to, and which views it touches. */
final class Intake {
  /** Changes of tables, by the part that they are kept in. */
  final Map<Key, List<Entry>> changes = new HashMap<>();
  /** Of each kind, the time of the latest event. */
  final Map<Integer, Long> latest = new HashMap<>();
  long events = 0;
  private final Step step;
  private final Layout.Form form;
  private final boolean fills;

  Intake(Step step, boolean fills) {
    this.step = step;
    this.form = step.layout.form;
    this.fills = fills;
  }

  void take(Layout.Feed feed, Iterator<InternalRow> all) {
    while (all.hasNext()) {
      InternalRow row = all.next();
      Key key = new Key(feed.kind(), row.getUTF8String(0).clone());
      UTF8String text = row.isNullAt(1) ? null : row.getUTF8String(1).clone();
      switch (feed.what()) {
        case "events" -> event(feed, key, text, (UnsafeRow) row.getStruct(2, form.fields()));
        case "changes" -> change(feed, key.part(), text, (UnsafeRow) row.getStruct(2, form.fields()));
        default -> {
          // A row: whether it is open no more, when it closes, and the row itself.
          boolean gone = row.getBoolean(2);
          byte[] body = gone ? null : ((UnsafeRow) row.getStruct(4, form.views().get(feed.ref()).fields())).getBytes();
          step.add(key, new Entry(gone ? Entry.GONE : Entry.ROW, feed.ref(), row.isNullAt(3) ? Long.MAX_VALUE : row.getLong(3), text, body));
        }
      }
    }
  }

  private void event(Layout.Feed feed, Key key, UTF8String text, UnsafeRow event) {
    long time = event.getLong(Layout.HAPPENED);
    step.add(key, new Entry(Entry.EVENT, feed.ref(), time, text, event.getBytes()));
    events++;
    latest.merge(feed.kind(), time, Math::max);
    step.touch(key, feed.views(), time);
    Layout.Kind kind = form.kinds().get(feed.kind());
    if (fills || kind.back() == 0) return;
    for (long window = key.window() + 1; window <= kind.last(time); window++) step.touch(Key.of(feed.kind(), window), feed.views(), time);
  }

  private void change(Layout.Feed feed, UTF8String part, UTF8String changed, UnsafeRow event) {
    Key key = new Key(Layout.ofChanges(feed.kind(), feed.ref(), feed.all()), part);
    changes.computeIfAbsent(key, one -> new ArrayList<>()).add(new Entry(Entry.EVENT, feed.ref(), event.getLong(Layout.KNOWN), changed, event.getBytes()));
    events++;
    if (fills || feed.all()) return;
    long views = step.layout.looking(feed.kind(), feed.ref());
    for (Key one : step.store().looking(UTF8String.fromString(feed.ref() + ":" + changed))) if (one.kind() == feed.kind()) step.change(one, views);
  }

  /** Marks: `what` 0 is a time at which a part is looked at; 1 says that changes touch all windows from one on: of which views. */
  void marks(Iterator<InternalRow> all) {
    while (all.hasNext()) {
      InternalRow row = all.next();
      Key key = new Key(row.getInt(1), row.getUTF8String(2).clone());
      if (row.getInt(0) == 0) {
        step.add(key, Entry.wake(row.getLong(3)));
        step.store().wake(key, row.getLong(3));
      } else if (latest.containsKey(key.kind())) {
        long last = form.kinds().get(key.kind()).last(latest.get(key.kind()));
        for (long window = key.window(); window <= last; window++) step.change(Key.of(key.kind(), window), row.getLong(3));
      }
    }
  }
}

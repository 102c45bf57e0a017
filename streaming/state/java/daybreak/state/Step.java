package daybreak.state;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.unsafe.types.UTF8String;
import scala.collection.Iterator;

/** One micro-batch of one store: takes what comes in, writes it, and knows which parts each view must be computed from. */
final class Step {
  /** Of the control row: to add without giving anything out; only to see that the store has the version; what is large may wait; all was added. */
  private static final int FILLS = 1, LOOKS = 2, SPARES = 3, FILLED = 4;
  private static final Key COUNT = new Key(-1, UTF8String.fromString("count"));

  final Layout layout;
  final Map<Key, Part> parts = new HashMap<>();
  long bytes = 0, kept = 0;
  private final Layout.Form form;
  private final Store store;
  private final Set<Part> touched = new HashSet<>();
  private long watermark, next, held = 0;
  private boolean spares;
  private List<List<InternalRow>> given = List.of();

  Step(Layout layout, Store store) {
    this.layout = layout;
    this.form = layout.form;
    this.store = store;
  }

  /** `feeds`: the control row first, then those of the layout, then the marks. `given`: rows that go to the plans as they are, by topic. */
  void run(List<Iterator<InternalRow>> feeds, List<List<InternalRow>> given) {
    this.given = given;
    InternalRow control = feeds.get(0).next();
    watermark = control.isNullAt(1) ? Long.MIN_VALUE : control.getLong(1);
    next = control.isNullAt(2) ? Long.MIN_VALUE : control.getLong(2);
    boolean fills = control.getInt(3) == FILLS;
    store.open(control.getLong(0));
    if (control.getInt(3) == LOOKS) {
      store.abort();
      return;
    }
    if (control.getInt(3) == FILLED) {
      new Logs(this, store, next).owe(watermark);
      bytes = store.commit();
      return;
    }
    spares = control.getInt(3) == SPARES;
    Intake intake = new Intake(this, fills);
    store.each(COUNT, entry -> {
      if (entry.ref() == 0) intake.events += entry.time();
      else intake.latest.merge(entry.ref() - 1, entry.time(), Math::max);
    });
    for (int place = 0; place < form.feeds().size(); place++) intake.take(form.feeds().get(place), feeds.get(place + 1));
    intake.marks(feeds.get(feeds.size() - 1));
    if (!fills) for (Key key : store.due(next)) touched.add(part(key));
    Logs logs = new Logs(this, store, next);
    for (Part part : parts.values()) {
      if (!touched.contains(part)) logs.add(part);
      else if (fills) logs.fill(part);
      else logs.write(part);
      part.written();
      held += part.held;
    }
    intake.changes.forEach(logs::write);
    kept = intake.events - logs.dropped;
    List<Entry> counts = new ArrayList<>(List.of(new Entry(Entry.EVENT, 0, kept, null, null)));
    intake.latest.forEach((kind, time) -> counts.add(new Entry(Entry.EVENT, kind + 1, time, null, null)));
    store.replace(COUNT, counts);
    bytes = store.commit();
  }

  private Part part(Key key) {
    return parts.computeIfAbsent(key, Part::new);
  }

  /** Some views are to be computed from the part, because of an event of that time. */
  void touch(Key key, long views, long time) {
    Part part = part(key);
    part.views |= views;
    part.first = Math.min(part.first, time);
    touched.add(part);
  }

  /** The same, because of what they look up in it. */
  void change(Key key, long views) {
    touch(key, views, Long.MIN_VALUE);
    part(key).changed = true;
  }

  void add(Key key, Entry entry) {
    Part part = part(key);
    (entry.type() == Entry.EVENT ? part.added : part.noted).add(entry);
  }

  /** Read what is known of a part, once: with its events, unless these are apart. */
  void read(Part part) {
    part.apart = store.isApart(part.key);
    if (part.apart) {
      store.eachRow(part.key, entry -> part.take(entry, next));
      part.folded();
    } else events(part);
    if (part.apart && !part.added.isEmpty()) part.noted.add(part.grew());
    for (Entry entry : part.noted) part.take(entry, next);
  }

  /** Read the events of a part, once. */
  void events(Part part) {
    if (held < form.held()) part.events = new ArrayList<>();
    store.each(part.key, entry -> part.take(entry, next));
    if (!part.apart) part.folded();
    part.knew();
    for (Entry entry : part.added) part.take(entry, next);
  }

  /** May large parts wait? */
  boolean spares() {
    return spares;
  }

  /** From when on the events of a part are needed that were read. */
  long needed(Part part) {
    return part.needed(form, watermark);
  }

  /** The parts that a view is computed from, in no order. */
  List<Part> of(int view) {
    List<Part> found = new ArrayList<>();
    for (Part part : touched) if ((part.views & 1L << view) != 0 && part.key.kind() == form.views().get(view).kind()) found.add(part);
    return found;
  }

  /** New events of a topic of those that additive views read. */
  List<InternalRow> given(int topic) {
    return topic < given.size() ? given.get(topic) : List.of();
  }

  Set<Part> told() {
    return touched;
  }

  Store store() {
    return store;
  }

  /** Events before it are needed by no open row, where one is needed for so long. */
  long oldest(long span) {
    return watermark == Long.MIN_VALUE ? watermark : watermark - span;
  }
}

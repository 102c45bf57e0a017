package daybreak.state;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.unsafe.types.UTF8String;

/** What a step gives to the plans: rows of one leaf. */
final class Given {
  private final Step step;
  private final Layout.Form form;

  Given(Step step) {
    this.step = step;
    this.form = step.layout.form;
  }

  List<InternalRow> rows(Layout.Leaf leaf) {
    List<InternalRow> found = new ArrayList<>();
    switch (leaf.what()) {
      case "events" -> events(leaf, entry -> found.add(entry.row(form.fields())));
      case "changes" -> changes(leaf, found);
      case "rows" -> open(leaf.view(), found);
      case "new" -> found.addAll(step.given(leaf.topic()));
      default -> told(found);
    }
    return found;
  }

  private void events(Layout.Leaf leaf, Consumer<Entry> taken) {
    Layout.View view = form.views().get(leaf.view());
    for (Part part : logs(leaf.view())) {
      long oldest = part.since(leaf.view(), step.oldest(view.span()));
      Consumer<Entry> mine = entry -> {
        if (entry.type() == Entry.EVENT && entry.ref() == leaf.topic() && entry.time() >= oldest) taken.accept(entry);
      };
      if (part.events == null) step.store().each(part.key, mine);
      else part.events.forEach(mine);
    }
  }

  /** The parts that hold the events of the view's touched parts: windows need those before them, too. */
  private List<Part> logs(int view) {
    List<Part> own = step.of(view);
    int further = step.layout.further(form.views().get(view).kind());
    if (further == 0) return own;
    Set<Key> keys = new HashSet<>();
    for (Part part : own) for (int place = 0; place <= further; place++) keys.add(Key.of(part.key.kind(), part.key.window() - place));
    List<Part> found = new ArrayList<>();
    for (Key key : keys) found.add(step.parts.getOrDefault(key, new Part(key)));
    return found;
  }

  private void changes(Layout.Leaf leaf, List<InternalRow> found) {
    Set<Key> keys = new HashSet<>();
    int kind = Layout.ofChanges(form.views().get(leaf.view()).kind(), leaf.topic(), leaf.all());
    if (leaf.all()) {
      if (!step.of(leaf.view()).isEmpty()) keys.add(new Key(kind, Layout.ALL));
    } else {
      UTF8String before = UTF8String.fromString(leaf.topic() + ":");
      for (Part part : step.of(leaf.view()))
        for (UTF8String look : part.looks) if (look.startsWith(before)) keys.add(new Key(kind, look.substring(before.numChars(), look.numChars())));
    }
    for (Key key : keys) step.store().each(key, entry -> found.add(entry.row(form.fields())));
  }

  private void open(int view, List<InternalRow> found) {
    int fields = form.views().get(view).fields();
    for (Part part : step.of(view)) part.open.forEach((key, entry) -> add(key, entry, view, fields, found));
    for (Part part : step.told()) part.ended.forEach((key, entry) -> add(key, entry, view, fields, found));
  }

  private static void add(Part.RowKey key, Entry entry, int view, int fields, List<InternalRow> found) {
    if (key.view() == view) found.add(entry.row(fields));
  }

  /**
   * Per part that was touched: kind, part, the views that it is given to, and when it will be looked at; then what is kept, as kind -1; then, as
   * kind -2 and below, the parts with many events, and how many.
   */
  private void told(List<InternalRow> found) {
    for (Part part : step.told())
      if (part.views != 0) found.add(new GenericInternalRow(new Object[] {part.key.kind(), part.key.part(), part.views, part.wake}));
    found.add(new GenericInternalRow(new Object[] {-1, UTF8String.fromString("kept"), step.kept, step.bytes}));
    for (Part part : step.told())
      if (part.count >= form.hot()) found.add(new GenericInternalRow(new Object[] {-2 - part.key.kind(), part.key.part(), (long) part.count, null}));
  }
}

package daybreak.state;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.Serializable;
import java.util.List;
import org.apache.spark.unsafe.types.UTF8String;

/** What one store holds, and for whom: written as JSON by streaming/state/layout.py, whose names these are. Times are microseconds. */
public final class Layout implements Serializable {
  /** Parts of one law. `size` is 0, or that of windows; without open rows an event is needed for `span` after its time, and `back` by later windows. */
  public record Kind(long span, long size, long back) implements Serializable {
    /** The last window that an event of that time belongs to. */
    long last(long time) {
      return Math.floorDiv(time + back, size);
    }
  }

  /**
   * A view: its kind, how many columns its rows have with the time when they close, and how long it needs an event at most. `rests`: then
   * an event is needed for `rest` only, unless an open row's time, which is in the column `at`, is older; with a `pause`, until one.
   */
  public record View(int kind, int fields, long span, boolean rests, int at, long rest, long lookback, long pause) implements Serializable {}

  /** What comes in: `what` is "events", "changes" or "rows"; `ref` is a topic's number, or a view's; `views`: whom it touches. */
  public record Feed(String what, int kind, int ref, long views, boolean all) implements Serializable {}

  /** What goes out to a plan: `what` is "events", "changes", "rows", "new" (of topics of additive views) or "told". */
  public record Leaf(String what, int view, int topic, boolean all) implements Serializable {}

  /**
   * The whole of it. `changes`: how long every change of a key is kept, before only its last one is. `many`: events of a
   * part whose other entries are apart; `large`: of one that may wait, until it has grown by a `share`; `hot`: of one
   * that is told. `held`: the bytes of events that a step has in memory.
   */
  public record Form(String folder, int store, int fields, long changes, long many, long large, long share, long hot, long held, List<Kind> kinds, List<View> views, List<Feed> feeds, List<Leaf> leaves)
      implements Serializable {}

  /** Places of an event's columns: its id, when it happened, when it was known (OF_EVENT of streaming/state/view_state.py). */
  static final int ID = 1, HAPPENED = 3, KNOWN = 4;
  /** The first kind under which changes are kept. */
  static final int CHANGES = 1000;
  /** The part of all changes of which a view looks at all keys (ALL of streaming/state/kinds.py). */
  static final UTF8String ALL = UTF8String.fromString("*");

  public final Form form;

  public Layout(String json) throws IOException {
    form = new ObjectMapper().readValue(json, Form.class);
  }

  /** The views of a kind that look up a topic's changes by key. */
  long looking(int kind, int topic) {
    long views = 0;
    for (Feed feed : form.feeds()) if (feed.what().equals("changes") && feed.kind() == kind && feed.ref() == topic && !feed.all()) views |= feed.views();
    return views;
  }

  /** Do events of a kind look something up by key? */
  boolean looksUp(int kind) {
    for (Feed feed : form.feeds()) if (feed.what().equals("changes") && feed.kind() == kind && !feed.all()) return true;
    return false;
  }

  /** How many windows after its own an event may belong to. */
  int further(int kind) {
    Kind one = form.kinds().get(kind);
    return one.size() == 0 ? 0 : (int) ((one.back() + one.size() - 1) / one.size());
  }

  /** The kind under which the changes of a topic are kept for a kind of parts, by key or all in one. */
  static int ofChanges(int kind, int topic, boolean all) {
    return CHANGES + 128 * kind + 2 * topic + (all ? 1 : 0);
  }
}

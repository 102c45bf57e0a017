package daybreak.state;

import java.util.List;
import java.util.Map;

/** From when on a view may still need the events of a part: those of its open rows, and those that a row to come may meet. */
final class Needed {
  /** By the time of the oldest open row. Before the first watermark all events are needed. */
  static long since(Part part, int number, Layout.View view, long watermark) {
    if (watermark == Long.MIN_VALUE) return watermark;
    long longest = watermark - view.span();
    if (!view.rests() || (view.pause() > 0 && part.events == null)) return longest;
    long first = watermark;
    for (Map.Entry<Part.RowKey, Entry> one : part.open.entrySet())
      if (one.getKey().view() == number) first = Math.min(first, one.getValue().row(view.fields()).getLong(view.at()));
    long since = view.pause() > 0 ? behindPause(part.events, view.pause(), first) : Math.min(watermark - view.rest(), first) - view.lookback();
    return Math.max(longest, since);
  }

  /** Behind the last pause that ended before `first`: no event from there on meets one of before it. */
  private static long behindPause(List<Entry> events, long pause, long first) {
    long[] times = events.stream().mapToLong(Entry::time).sorted().toArray();
    long found = Long.MIN_VALUE;
    for (int place = 0; place < times.length && times[place] + pause < first; place++)
      if (place + 1 == times.length || times[place + 1] - times[place] > pause) found = times[place] + 1;
    return found;
  }
}

package daybreak.state;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.unsafe.types.UTF8String;

/** The changes of a table's keys: which of them can still be looked up. */
final class Changes {
  /** Those known at or after a time, and of those before it the last of each key, by the time it happened and its id. */
  static List<Entry> shortened(List<Entry> all, long before, int fields) {
    Map<UTF8String, Entry> last = new HashMap<>();
    List<Entry> kept = new ArrayList<>();
    for (Entry one : all) {
      if (one.time() >= before) kept.add(one);
      else last.merge(one.text(), one, (had, has) -> isAfter(has.row(fields), had.row(fields)) ? has : had);
    }
    kept.addAll(last.values());
    return kept;
  }

  private static boolean isAfter(UnsafeRow one, UnsafeRow other) {
    int order = Long.compare(one.getLong(Layout.HAPPENED), other.getLong(Layout.HAPPENED));
    return order != 0 ? order > 0 : one.getUTF8String(Layout.ID).compareTo(other.getUTF8String(Layout.ID)) > 0;
  }
}

package daybreak.state;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.unsafe.types.UTF8String;

/** The changes of a table's keys: which of them can still be looked up. */
final class Changes {
  private static final int FIELDS = 6, ID = 1, HAPPENED = 3;

  /** Those known at or after a time, and of those before it the last of each key, by the time it happened and its id. */
  static List<Entry> shortened(List<Entry> all, long before) {
    Map<UTF8String, Entry> last = new HashMap<>();
    List<Entry> kept = new ArrayList<>();
    for (Entry one : all) {
      if (one.time() >= before) kept.add(one);
      else last.merge(one.text(), one, (had, has) -> isAfter(has, had) ? has : had);
    }
    kept.addAll(last.values());
    return kept;
  }

  private static boolean isAfter(Entry one, Entry other) {
    UnsafeRow own = one.row(FIELDS), old = other.row(FIELDS);
    int order = Long.compare(own.getLong(HAPPENED), old.getLong(HAPPENED));
    return order != 0 ? order > 0 : own.getUTF8String(ID).compareTo(old.getUTF8String(ID)) > 0;
  }
}

package daybreak.state;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.execution.arrow.ArrowConverters$;
import org.apache.spark.sql.types.StructType;
import scala.collection.AbstractIterator;
import scala.collection.Iterator;

/** Tables that Python makes in one go: per row the table's place, and a stream of Arrow's. */
final class Packed {
  private final Map<Integer, byte[]> bodies = new TreeMap<>();
  private final TaskContext context;

  Packed(Iterator<InternalRow> rows, TaskContext context) {
    this.context = context;
    while (rows.hasNext()) {
      InternalRow row = rows.next();
      bodies.put(row.getInt(0), row.getBinary(1).clone());
    }
  }

  /** The rows of a table, one after the other in the same memory; none where there is no table. */
  Iterator<InternalRow> rows(int place) {
    byte[] body = bodies.get(place);
    return body == null ? new Rows(null, null) : opened(body);
  }

  /** The rows of all tables from a place on, by table: copies. */
  List<List<InternalRow>> rest(int place) {
    List<List<InternalRow>> found = new ArrayList<>();
    bodies.forEach((at, body) -> {
      while (at >= place && found.size() <= at - place) found.add(new ArrayList<>());
      if (at < place) return;
      for (Iterator<InternalRow> rows = opened(body); rows.hasNext(); ) found.get(at - place).add(rows.next().copy());
    });
    return found;
  }

  private Iterator<InternalRow> opened(byte[] body) {
    var found = ArrowConverters$.MODULE$.fromIPCStreamWithIterator(body, context);
    return new Rows(found._1(), UnsafeProjection.create((StructType) found._2()));
  }

  private static final class Rows extends AbstractIterator<InternalRow> {
    private final Iterator<InternalRow> rows;
    private final UnsafeProjection unsafe;

    Rows(Iterator<InternalRow> rows, UnsafeProjection unsafe) {
      this.rows = rows;
      this.unsafe = unsafe;
    }

    @Override
    public boolean hasNext() {
      return rows != null && rows.hasNext();
    }

    @Override
    public InternalRow next() {
      return unsafe.apply(rows.next());
    }
  }
}

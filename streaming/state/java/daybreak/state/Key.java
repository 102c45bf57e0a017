package daybreak.state;

import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.catalyst.expressions.codegen.UnsafeRowWriter;
import org.apache.spark.unsafe.types.UTF8String;

/** The name of a part: its kind, and the value of the law's column or the number of its window. */
record Key(int kind, UTF8String part) {
  /** Of a row of its two columns. */
  static Key of(UnsafeRow row) {
    return new Key(row.getInt(0), row.getUTF8String(1).clone());
  }

  static Key of(int kind, long window) {
    return new Key(kind, UTF8String.fromString(Long.toString(window)));
  }

  /** Is it a part, and not a log of changes or of counts? */
  boolean isPart() {
    return kind >= 0 && kind < Layout.CHANGES;
  }

  long window() {
    return Long.parseLong(part.toString());
  }

  UnsafeRow encoded() {
    return end(writer(2), 0);
  }

  /** With the time at which the part is looked at. */
  UnsafeRow at(long time) {
    UnsafeRowWriter writer = writer(3);
    writer.write(0, time);
    return end(writer, 1).copy();
  }

  static UnsafeRow second(long second) {
    UnsafeRowWriter writer = writer(1);
    writer.write(0, second);
    return writer.getRow();
  }

  /** With what an event of the part looks up. */
  UnsafeRow looking(UTF8String look) {
    UnsafeRowWriter writer = writer(3);
    writer.write(0, look);
    return end(writer, 1);
  }

  /** The name that such a row of three columns ends with. */
  static Key behind(UnsafeRow row) {
    return new Key(row.getInt(1), row.getUTF8String(2).clone());
  }

  static UnsafeRow prefix(UTF8String look) {
    UnsafeRowWriter writer = writer(1);
    writer.write(0, look);
    return writer.getRow();
  }

  private UnsafeRow end(UnsafeRowWriter writer, int place) {
    writer.write(place, kind);
    writer.write(place + 1, part);
    return writer.getRow();
  }

  private static UnsafeRowWriter writer(int fields) {
    UnsafeRowWriter writer = new UnsafeRowWriter(fields, 64);
    writer.reset();
    writer.zeroOutNullBytes();
    return writer;
  }
}

package daybreak.state;

import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.catalyst.expressions.codegen.UnsafeRowWriter;
import org.apache.spark.unsafe.types.UTF8String;

/** The name of a part: its kind, and the value of the law's column or the number of its window. */
record Key(int kind, UTF8String part) {
  static Key of(int kind, long window) {
    return new Key(kind, UTF8String.fromString(Long.toString(window)));
  }

  long window() {
    return Long.parseLong(part.toString());
  }

  UnsafeRow encoded() {
    UnsafeRowWriter writer = writer(2);
    writer.write(0, kind);
    writer.write(1, part);
    return writer.getRow();
  }

  /** With the time at which the part is looked at. */
  UnsafeRow at(long time) {
    UnsafeRowWriter writer = writer(3);
    writer.write(0, time);
    writer.write(1, kind);
    writer.write(2, part);
    return writer.getRow().copy();
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
    writer.write(1, kind);
    writer.write(2, part);
    return writer.getRow();
  }

  static UnsafeRow prefix(UTF8String look) {
    UnsafeRowWriter writer = writer(1);
    writer.write(0, look);
    return writer.getRow();
  }

  private static UnsafeRowWriter writer(int fields) {
    UnsafeRowWriter writer = new UnsafeRowWriter(fields, 64);
    writer.reset();
    writer.zeroOutNullBytes();
    return writer;
  }
}

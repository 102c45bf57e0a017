package daybreak.state;

import java.nio.ByteBuffer;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.catalyst.expressions.codegen.UnsafeRowWriter;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * One entry of a part. Of its events: EVENT (ref: topic, time: its own, text: what it looks up). Of its rows: ROW and GONE: an open row was said,
 * or is open no more (ref: view, time: when it closes, text: its key). WAKE: the part is looked at when the watermark has passed `time`. GREW: its
 * events are so many more (ref), or fewer, the latest of `time`. OWED: so many of them (ref), from `time` on, touch the views in `body` and were not
 * given to them. LOOKED: all that it had was given; then it had so many (time).
 */
record Entry(int type, int ref, long time, UTF8String text, byte[] body) {
  static final int EVENT = 0, ROW = 1, GONE = 2, WAKE = 3, GREW = 4, OWED = 5, LOOKED = 6;
  static final StructType SCHEMA =
      new StructType()
          .add("type", DataTypes.IntegerType)
          .add("ref", DataTypes.IntegerType)
          .add("time", DataTypes.LongType)
          .add("text", DataTypes.StringType)
          .add("body", DataTypes.BinaryType);

  static Entry of(UnsafeRow row) {
    UTF8String text = row.getUTF8String(3);
    byte[] body = row.isNullAt(4) ? null : row.getBinary(4);
    return new Entry(row.getInt(0), row.getInt(1), row.getLong(2), text == null ? null : text.clone(), body);
  }

  static Entry wake(long time) {
    return new Entry(WAKE, 0, time, null, null);
  }

  static Entry grew(int count, long latest) {
    return new Entry(GREW, count, latest, null, null);
  }

  static Entry owed(int count, long first, long views) {
    return new Entry(OWED, count, first, null, ByteBuffer.allocate(Long.BYTES).putLong(views).array());
  }

  static Entry looked(long count) {
    return new Entry(LOOKED, 0, count, null, null);
  }

  /** Of OWED: the views, as bits. */
  long views() {
    return ByteBuffer.wrap(body).getLong();
  }

  UnsafeRow encoded() {
    UnsafeRowWriter writer = new UnsafeRowWriter(5, 64 + (body == null ? 0 : body.length));
    writer.reset();
    writer.zeroOutNullBytes();
    writer.write(0, type);
    writer.write(1, ref);
    writer.write(2, time);
    if (text == null) writer.setNullAt(3);
    else writer.write(3, text);
    if (body == null) writer.setNullAt(4);
    else writer.write(4, body);
    return writer.getRow().copy();
  }

  /** The body as a row of so many columns. */
  UnsafeRow row(int fields) {
    UnsafeRow row = new UnsafeRow(fields);
    row.pointTo(body, body.length);
    return row;
  }
}

package daybreak.state;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.execution.streaming.state.*;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;
import scala.Option;
import scala.collection.Iterator;
import scala.jdk.javaapi.CollectionConverters;

/** Spark's state store in the four families that we need: the events of each part, its rows, parts by the time to look at them, and by what they look up. */
final class Store {
  private static final String EVENTS = "default", ROWS = "rows", DUE = "due", LOOKS = "looks", SIZE = "rocksdbSstFileSize";
  private static final StructType PART = new StructType().add("kind", DataTypes.IntegerType, false).add("part", DataTypes.StringType, false);
  private static final long SECOND = 1_000_000;
  private static final StructType SECONDS = new StructType().add("second", DataTypes.LongType, false);
  private static final StructType TIMED = new StructType().add("time", DataTypes.LongType, false).add("kind", DataTypes.IntegerType, false).add("part", DataTypes.StringType, false);
  private static final StructType LOOKED = new StructType().add("look", DataTypes.StringType, false).add("kind", DataTypes.IntegerType, false).add("part", DataTypes.StringType, false);
  private static final StructType NOTHING = new StructType().add("nothing", DataTypes.IntegerType, true);
  /** A time that has always come. */
  static final long ALWAYS = Long.MIN_VALUE / 4;
  private static final KeyStateEncoderSpec BY_PART = new NoPrefixKeyStateEncoderSpec(PART);

  /** The parts whose rows are apart, as they were after so many steps: those with many events, so they are few. */
  private record Apart(long version, Set<Key> parts) {}

  /** Of each store that this process has open: to ask RocksDB for each small part whether it is apart took a twentieth of all. */
  private static final Map<StateStoreProviderId, Apart> APART = new ConcurrentHashMap<>();

  private final StateStoreProviderId id;
  private final StateStoreConf conf;
  private final Configuration hadoop;
  private final UnsafeRow nothing = new UnsafeRow(1);
  private final Map<Long, List<UnsafeRow>> wakes = new HashMap<>();
  private StateStore own;
  private ReadStateStore read;
  private long committed;
  private Set<Key> apart;
  private boolean isOwn;

  Store(Layout.Form form, StateStoreConf conf, Configuration hadoop) {
    this.id = id(form);
    this.conf = conf;
    this.hadoop = hadoop;
    nothing.pointTo(new byte[16], 16);
    nothing.setNullAt(0);
  }

  /** By its folder, so that it is the same in the driver, which asks where the store is, and in each executor. */
  static StateStoreProviderId id(Layout.Form form) {
    UUID run = UUID.nameUUIDFromBytes(form.folder().getBytes(StandardCharsets.UTF_8));
    return new StateStoreProviderId(new StateStoreId(form.folder(), form.store(), 0, "default"), run);
  }

  /** Open it as it was after so many steps. */
  void open(long version) {
    own = StateStore$.MODULE$.get(id, PART, Entry.SCHEMA, BY_PART, version, Option.empty(), Option.empty(), true, conf, hadoop, true);
    read = own;
    own.createColFamilyIfAbsent(ROWS, PART, Entry.SCHEMA, BY_PART, true, false);
    own.createColFamilyIfAbsent(DUE, SECONDS, TIMED, new RangeKeyScanStateEncoderSpec(SECONDS, scala.collection.immutable.List.from(CollectionConverters.asScala(List.<Object>of(0)))), true, false);
    Apart known = APART.get(id);
    apart = known != null && known.version == version ? known.parts : read();
    isOwn = false;
    own.createColFamilyIfAbsent(LOOKS, LOOKED, NOTHING, new PrefixKeyScanStateEncoderSpec(LOOKED, 1), false, false);
  }

  /** The events of a part, or the entries of another log of ours. */
  void each(Key key, Consumer<Entry> taken) {
    take(key, EVENTS, taken);
  }

  /** What is known of a part beside its events: few entries, whatever it holds. */
  void eachRow(Key key, Consumer<Entry> taken) {
    take(key, ROWS, taken);
  }

  private void take(Key key, String family, Consumer<Entry> taken) {
    if (read == null) read = StateStore$.MODULE$.getReadOnly(id, PART, Entry.SCHEMA, BY_PART, committed, Option.empty(), Option.empty(), true, conf, hadoop, true);
    Iterator<UnsafeRow> found = read.valuesIterator(key.encoded(), family);
    while (found.hasNext()) taken.accept(Entry.of(found.next()));
  }

  /** Has the part a log for all but its events? */
  boolean isApart(Key key) {
    return apart.contains(key);
  }

  /** A step may be taken again, from what was known before it. */
  private Set<Key> changed() {
    if (!isOwn) apart = new HashSet<>(apart);
    isOwn = true;
    return apart;
  }

  private Set<Key> read() {
    Set<Key> found = new HashSet<>();
    StateStoreIterator<UnsafeRowPair> all = own.iteratorWithMultiValues(ROWS);
    while (all.hasNext()) found.add(Key.of(all.next().key()));
    all.close();
    return found;
  }

  /** The parts with at least so many events. Reads the whole store. */
  List<Key> large(long events) {
    List<Key> found = new ArrayList<>();
    StateStoreIterator<UnsafeRowPair> all = own.iteratorWithMultiValues(EVENTS);
    Key last = null;
    for (long count = 0; all.hasNext(); ) {
      UnsafeRowPair pair = all.next();
      Key key = Key.of(pair.key());
      count = key.equals(last) ? count : 0;
      last = key;
      if (key.isPart() && pair.value().getInt(0) == Entry.EVENT && ++count == events) found.add(key);
    }
    all.close();
    return found;
  }

  void append(Key key, List<Entry> events) {
    if (!events.isEmpty()) own.mergeList(key.encoded(), encoded(events), EVENTS);
  }

  void appendRows(Key key, List<Entry> entries) {
    if (!entries.isEmpty()) own.mergeList(key.encoded(), encoded(entries), ROWS);
  }

  void replace(Key key, List<Entry> events) {
    if (events.isEmpty()) own.remove(key.encoded(), EVENTS);
    else own.putList(key.encoded(), encoded(events), EVENTS);
  }

  void replaceRows(Key key, List<Entry> entries) {
    changed().add(key);
    own.putList(key.encoded(), encoded(entries), ROWS);
  }

  void remove(Key key) {
    own.remove(key.encoded(), EVENTS);
    if (!apart.contains(key)) return;
    own.remove(key.encoded(), ROWS);
    changed().remove(key);
  }

  /** A part is looked at when the watermark has passed `time`. */
  void wake(Key key, long time) {
    wakes.computeIfAbsent(Math.floorDiv(time, SECOND), second -> new ArrayList<>()).add(key.at(time));
  }

  /** Parts are kept by the second, so that many are written at once. */
  void writeWakes() {
    wakes.forEach((second, rows) -> own.mergeList(Key.second(second), rows.toArray(new UnsafeRow[0]), DUE));
    wakes.clear();
  }

  /** Take out all parts to be looked at before a time; one may be there twice. */
  List<Key> due(long before) {
    writeWakes();
    List<Key> found = new ArrayList<>();
    List<UnsafeRow> kept = new ArrayList<>();
    TreeSet<Long> seconds = new TreeSet<>();
    StateStoreIterator<UnsafeRowPair> all = own.iteratorWithMultiValues(DUE);
    while (all.hasNext()) {
      UnsafeRowPair pair = all.next();
      long second = pair.key().getLong(0);
      if (second * SECOND >= before) break;
      seconds.add(second);
      UnsafeRow row = pair.value();
      if (row.getLong(0) >= before) kept.add(row.copy());
      else found.add(Key.behind(row));
    }
    all.close();
    for (long second : seconds) own.remove(Key.second(second), DUE);
    // Of the last second only: all of those before are over.
    if (!kept.isEmpty()) own.putList(Key.second(seconds.last()), kept.toArray(new UnsafeRow[0]), DUE);
    return found;
  }

  void looks(Key key, UTF8String look) {
    own.put(key.looking(look), nothing, LOOKS);
  }

  void looksNoMore(Key key, UTF8String look) {
    own.remove(key.looking(look), LOOKS);
  }

  List<Key> looking(UTF8String look) {
    List<Key> found = new ArrayList<>();
    StateStoreIterator<UnsafeRowPair> all = own.prefixScan(Key.prefix(look), LOOKS);
    while (all.hasNext()) found.add(Key.behind(all.next().key()));
    all.close();
    return found;
  }

  /** Keep what was written, as the next version; it can still be read. Returns how many bytes its files have. */
  long commit() {
    writeWakes();
    committed = own.commit();
    APART.put(id, new Apart(committed, apart));
    long bytes = 0;
    scala.collection.Iterator<scala.Tuple2<StateStoreCustomMetric, Object>> all = own.metrics().customMetrics().iterator();
    while (all.hasNext()) {
      scala.Tuple2<StateStoreCustomMetric, Object> one = all.next();
      if (one._1().name().equals(SIZE)) bytes = (Long) one._2();
    }
    own = null;
    read = null;
    return bytes;
  }

  /** Write nothing. */
  void abort() {
    own.abort();
    own = null;
    read = null;
  }

  private static UnsafeRow[] encoded(List<Entry> entries) {
    UnsafeRow[] rows = new UnsafeRow[entries.size()];
    for (int place = 0; place < rows.length; place++) rows[place] = entries.get(place).encoded();
    return rows;
  }
}

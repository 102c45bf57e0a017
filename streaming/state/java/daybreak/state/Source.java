package daybreak.state;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.Dependency;
import org.apache.spark.OneToOneDependency;
import org.apache.spark.Partition;
import org.apache.spark.SparkContext;
import org.apache.spark.TaskContext;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.execution.streaming.state.StateStoreConf;
import org.apache.spark.sql.execution.streaming.state.StateStoreCoordinatorRef;
import org.apache.spark.util.SerializableConfiguration;
import org.apache.spark.util.TaskCompletionListener;
import scala.collection.Iterator;
import scala.jdk.javaapi.CollectionConverters;
import scala.reflect.ClassTag$;

/** The rows of one leaf, as an RDD of one partition. All leaves of one task share one step, which the first of them runs. */
public final class Source extends RDD<InternalRow> {
  private static final Map<String, Step> STEPS = new ConcurrentHashMap<>();

  private final Layout layout;
  private final List<RDD<InternalRow>> feeds;
  private final boolean packed;
  private final int leaf;
  private final StateStoreConf conf;
  private final SerializableConfiguration hadoop;
  private final transient StateStoreCoordinatorRef stores;

  /**
   * `feeds`: the control row, the layout's feeds, the marks; each an RDD of one partition. `packed`: the control row, and one RDD with all
   * others, as Packed has them. `leaf`: its place in the layout. `stores`: who knows
   * on which executor each store is.
   */
  public Source(
      SparkContext spark,
      Layout layout,
      List<RDD<InternalRow>> feeds,
      boolean packed,
      int leaf,
      StateStoreConf conf,
      SerializableConfiguration hadoop,
      StateStoreCoordinatorRef stores) {
    super(spark, dependencies(feeds), ClassTag$.MODULE$.apply(InternalRow.class));
    this.layout = layout;
    this.feeds = new ArrayList<>(feeds);
    this.packed = packed;
    this.leaf = leaf;
    this.conf = conf;
    this.hadoop = hadoop;
    this.stores = stores;
  }

  private static scala.collection.immutable.Seq<Dependency<?>> dependencies(List<RDD<InternalRow>> feeds) {
    List<Dependency<?>> found = new ArrayList<>();
    for (RDD<InternalRow> feed : feeds) found.add(new OneToOneDependency<>(feed));
    return scala.collection.immutable.List.from(CollectionConverters.asScala(found));
  }

  @Override
  public Partition[] getPartitions() {
    List<Partition> parents = new ArrayList<>();
    for (RDD<InternalRow> feed : feeds) parents.add(feed.partitions()[0]);
    return new Partition[] {new Only(parents)};
  }

  /** The executor that has the store open: another one would have to read its files. */
  @Override
  public scala.collection.immutable.Seq<String> getPreferredLocations(Partition split) {
    return stores.getLocation(Store.id(layout.form)).toList();
  }

  @Override
  public Iterator<InternalRow> compute(Partition split, TaskContext context) {
    String name = layout.form.folder() + " " + layout.form.store() + " " + context.taskAttemptId();
    Step step = STEPS.get(name);
    if (step == null) STEPS.put(name, step = ran(name, ((Only) split).parents, context));
    return CollectionConverters.asScala(new Given(step).rows(layout.form.leaves().get(leaf)).iterator());
  }

  private Step ran(String name, List<Partition> parents, TaskContext context) {
    Store store = new Store(layout.form, conf, hadoop.value());
    // Spark itself lets go of a store at the end of its task.
    context.addTaskCompletionListener((TaskCompletionListener) ended -> STEPS.remove(name));
    Step step = new Step(layout, store);
    List<Iterator<InternalRow>> rows = new ArrayList<>();
    for (int place = 0; place < parents.size(); place++) rows.add(feeds.get(place).iterator(parents.get(place), context));
    if (!packed) step.run(rows, List.of());
    else {
      Packed found = new Packed(rows.get(1), context);
      int own = layout.form.feeds().size() + 1;
      List<Iterator<InternalRow>> all = new ArrayList<>(List.of(rows.get(0)));
      for (int place = 0; place < own; place++) all.add(found.rows(place));
      step.run(all, found.rest(own));
    }
    return step;
  }

  private static final class Only implements Partition {
    private final List<Partition> parents;

    Only(List<Partition> parents) {
      this.parents = parents;
    }

    @Override
    public int index() {
      return 0;
    }

    @Override
    public int hashCode() {
      return 0;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Only;
    }
  }
}

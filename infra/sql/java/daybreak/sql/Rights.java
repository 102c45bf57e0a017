package daybreak.sql;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.apache.spark.sql.SparkSessionExtensions;
import org.apache.spark.sql.catalyst.CurrentUserContext;
import org.apache.spark.sql.catalyst.plans.logical.InsertIntoStatement;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.rules.Rule;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.execution.CommandExecutionMode;
import scala.Function1;
import scala.collection.Seq;
import scala.jdk.javaapi.CollectionConverters;
import scala.runtime.AbstractFunction1;
import scala.runtime.BoxedUnit;

/** Who may do what with SQL: looks at each statement as Spark has understood it, before anything of it is done. */
public final class Rights extends AbstractFunction1<SparkSessionExtensions, BoxedUnit> {
    static final String WRITER = "writer";
    private static final List<String> SETTINGS_OF_GOLD = List.of(
            "spark.sql.adaptive.", "spark.sql.ansi.enabled", "spark.sql.codegen.", "spark.sql.legacy.ctePrecedencePolicy",
            "spark.sql.optimizer.", "spark.sql.shuffle.partitions", "spark.sql.sources.partitionOverwriteMode",
            "spark.sql.thriftServer.queryTimeout", "spark.sql.types.framework.enabled", "spark.databricks.delta.");

    @Override
    public BoxedUnit apply(SparkSessionExtensions extensions) {
        extensions.injectResolutionRule(new AbstractFunction1<>() {
            @Override
            public Rule<LogicalPlan> apply(org.apache.spark.sql.SparkSession session) {
                return new NoFiles();
            }
        });
        extensions.injectCheckRule(new AbstractFunction1<>() {
            @Override
            public Function1<LogicalPlan, BoxedUnit> apply(org.apache.spark.sql.SparkSession session) {
                return new Checked((SparkSession) session);
            }
        });
        return BoxedUnit.UNIT;
    }

    /** What dbt's sessions set; nothing here opens a file or loads a class. */
    static boolean isSettingOfGold(String name) {
        return SETTINGS_OF_GOLD.stream().anyMatch(name::startsWith);
    }

    static String user() {
        return CurrentUserContext.getCurrentUserOrEmpty();
    }

    static SecurityException refused(String what) {
        return new SecurityException(Refused.sentence(user(), what));
    }

    /** Is the check part of this session? Spark goes on without an extension that it cannot load. */
    static boolean isInForce(SparkSession session) {
        return CollectionConverters.asJava(session.sessionState().analyzer().extendedCheckRules()).stream()
                .anyMatch(Checked.class::isInstance);
    }

    /** Looks at a statement as if this user had sent it, and runs nothing. Throws the refusal. */
    public static void check(SparkSession session, String user, String sql) throws Exception {
        CurrentUserContext.CURRENT_USER().set(user);
        try {
            LogicalPlan parsed = new NoFiles().apply(session.sessionState().sqlParser().parsePlan(sql));
            LogicalPlan plan = session.sessionState().executePlan(parsed, CommandExecutionMode.SKIP()).analyzed();
            new Statement(session, user).check(plan);
        } finally {
            CurrentUserContext.CURRENT_USER().remove();
        }
    }

    private static final class Checked extends AbstractFunction1<LogicalPlan, BoxedUnit> {
        private final SparkSession session;

        Checked(SparkSession session) {
            this.session = session;
        }

        @Override
        public BoxedUnit apply(LogicalPlan plan) {
            new Statement(session, user()).check(plan);
            return BoxedUnit.UNIT;
        }
    }

    /** A name that is a path is refused before Spark looks whether there is such a file. */
    private static final class NoFiles extends Rule<LogicalPlan> {
        private static final Set<String> NAMES = Set.of(
                "UnresolvedIdentifier", "UnresolvedRelation", "UnresolvedTable", "UnresolvedTableOrView", "UnresolvedView");
        private static final Set<String> FORMATS =
                Set.of("avro", "binaryfile", "csv", "delta", "hive", "json", "libsvm", "orc", "parquet", "text", "xml");

        @Override
        public LogicalPlan apply(LogicalPlan plan) {
            plan.foreach(new AbstractFunction1<LogicalPlan, BoxedUnit>() {
                @Override
                public BoxedUnit apply(LogicalPlan node) {
                    if (node instanceof InsertIntoStatement insert) {
                        // Where it writes is no child of it.
                        NoFiles.this.apply(insert.table());
                    }
                    if (NAMES.contains(node.getClass().getSimpleName()) && isPath((Seq<?>) node.productElement(0))) {
                        throw refused("SQL on files");
                    }
                    if (node.getClass().getSimpleName().startsWith("CDC")) {
                        throw refused("a table function that reads files");
                    }
                    return BoxedUnit.UNIT;
                }
            });
            return plan;
        }

        private static boolean isPath(Seq<?> name) {
            List<String> parts = CollectionConverters.asJava(name).stream().map(String::valueOf).toList();
            return parts.stream().anyMatch(part -> part.contains("/") || part.contains(":"))
                    || (parts.size() > 1 && FORMATS.contains(parts.get(0).toLowerCase(Locale.ROOT)));
        }
    }
}

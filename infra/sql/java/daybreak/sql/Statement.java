package daybreak.sql;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.catalog.CatalogTable;
import org.apache.spark.sql.catalyst.catalog.HiveTableRelation;
import org.apache.spark.sql.catalyst.expressions.CallMethodViaReflection;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.PlanExpression;
import org.apache.spark.sql.catalyst.plans.logical.Command;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.trees.TreeNode;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.execution.CommandExecutionMode;
import org.apache.spark.sql.execution.command.ExplainCommand;
import org.apache.spark.sql.execution.datasources.FileIndex;
import org.apache.spark.sql.execution.datasources.HadoopFsRelation;
import org.apache.spark.sql.execution.datasources.LogicalRelation;
import scala.Option;
import scala.jdk.javaapi.CollectionConverters;

/** One statement of one user: refuses every part of its plan that is not known to be allowed. */
final class Statement {
    private static final List<String> OURS = List.of("org.apache.spark.sql.", "io.delta.");
    private final SparkSession session;
    private final boolean isWriter;

    Statement(SparkSession session, String user) {
        this.session = session;
        this.isWriter = user.equals(Rights.WRITER);
    }

    void check(LogicalPlan plan) {
        List<LogicalPlan> waiting = new ArrayList<>(List.of(plan));
        while (!waiting.isEmpty()) {
            LogicalPlan node = waiting.remove(waiting.size() - 1);
            checkNode(node, waiting);
            CollectionConverters.asJava(node.expressions()).forEach(one -> checkExpression(one, waiting));
            waiting.addAll(CollectionConverters.asJava(node.children()));
            for (TreeNode<?> inner : CollectionConverters.asJava(node.innerChildren())) {
                // A view's query, the query behind CREATE TABLE AS.
                if (inner instanceof LogicalPlan query && query.resolved()) {
                    waiting.add(query);
                }
            }
        }
    }

    private void checkNode(LogicalPlan node, List<LogicalPlan> waiting) {
        String name = node.getClass().getSimpleName().replace("$", "");
        if (OURS.stream().noneMatch(node.getClass().getName()::startsWith)) {
            throw Rights.refused(Nodes.said(name));
        }
        if (node instanceof ExplainCommand explain) {
            // Spark looks at its query only to write down the plan, and then a refusal would be an answer.
            waiting.add(session.sessionState().executePlan(explain.logicalPlan(), CommandExecutionMode.SKIP()).analyzed());
        }
        if (node instanceof LogicalRelation relation) {
            checkFiles(relation);
        } else if (node instanceof HiveTableRelation table) {
            checkPlace(table.tableMeta());
        } else if (!Nodes.OPERATORS.contains(name) && !Nodes.SUBJECTS.contains(name) && !Nodes.SHOWING.contains(name)) {
            if (!isWriter || !Writes.allows(node, name)) {
                throw Rights.refused(Nodes.said(name));
            }
        }
    }

    private void checkExpression(Expression expression, List<LogicalPlan> waiting) {
        String name = expression.getClass().getSimpleName();
        boolean isHives = expression.getClass().getName().startsWith("org.apache.spark.sql.hive.");
        if (expression instanceof CallMethodViaReflection || isHives || Nodes.READ_FILES.stream().anyMatch(name::contains)) {
            throw Rights.refused(Nodes.said(name));
        }
        if (expression instanceof PlanExpression<?> subquery && subquery.plan() instanceof LogicalPlan plan) {
            waiting.add(plan);
        }
        CollectionConverters.asJava(expression.children()).forEach(one -> checkExpression(one, waiting));
    }

    /** Of a table of the lake, or of its log: Delta reads that in the name of whoever asks for the table. */
    private void checkFiles(LogicalRelation relation) {
        Option<CatalogTable> table = relation.catalogTable();
        if (table.isDefined()) {
            checkPlace(table.get());
            return;
        }
        FileIndex files = relation.relation() instanceof HadoopFsRelation of ? of.location() : null;
        boolean isDeltas = files != null && files.getClass().getName().startsWith("org.apache.spark.sql.delta.");
        boolean isInLake = isDeltas && CollectionConverters.asJava(files.rootPaths()).stream()
                .allMatch(path -> path.toString().startsWith(Settings.lake() + "/"));
        boolean isLog = isDeltas && files.getClass().getSimpleName().equals("DeltaLogFileIndex");
        if (!isLog && !(isWriter && isInLake)) {
            throw Rights.refused("SQL on files");
        }
    }

    private void checkPlace(CatalogTable table) {
        if (!table.location().toString().startsWith(Settings.lake() + "/")) {
            throw Rights.refused("a table outside of the lake");
        }
    }
}

package daybreak.sql;

import java.util.List;
import java.util.Set;
import org.apache.spark.sql.catalyst.TableIdentifier;
import org.apache.spark.sql.catalyst.analysis.ResolvedIdentifier;
import org.apache.spark.sql.catalyst.analysis.ResolvedNamespace;
import org.apache.spark.sql.catalyst.analysis.ResolvedTable;
import org.apache.spark.sql.catalyst.plans.logical.CreateNamespace;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.TableSpec;
import org.apache.spark.sql.connector.catalog.Identifier;
import org.apache.spark.sql.delta.DeltaLog;
import org.apache.spark.sql.delta.files.TahoeFileIndex;
import org.apache.spark.sql.execution.command.CreateViewCommand;
import org.apache.spark.sql.execution.command.SetCommand;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation;
import scala.jdk.javaapi.CollectionConverters;
import scala.jdk.javaapi.OptionConverters;

/** What the writer may do beyond reading: build gold and staging, and register the tables of the other layers. */
final class Writes {
    private static final Set<String> OF_GOLD = Set.of("gold", "staging");
    private static final Set<String> OF_OTHERS =
            Set.of("archive", "bronze", "reconciliation", "silver", "speed", "truth");

    private Writes() {}

    static boolean allows(LogicalPlan node, String name) {
        return switch (name) {
            case "SetCommand" -> setsOfGold((SetCommand) node);
            case "CreateNamespace" -> creates((CreateNamespace) node);
            case "CreateViewCommand" -> views((CreateViewCommand) node);
            case "CreateTable" -> isInItsPlace(node) && (isOfGold(target(node)) || isRegistration(node));
            case "CreateTableAsSelect", "ReplaceTable", "ReplaceTableAsSelect" -> isInItsPlace(node) && isOfGold(target(node));
            case "AddColumns", "AlterColumns", "AppendData", "CommentOnTable", "DeltaDynamicPartitionOverwriteCommand",
                    "OverwriteByExpression", "OverwritePartitionsDynamic", "SetTableProperties" -> isOfGold(target(node));
            // Of another layer only the name goes: its table is another program's.
            case "DropTable", "DropTableCommand", "DropView" -> isOfGold(target(node)) || isOfOthers(target(node));
            // DELETE is also what INSERT ... REPLACE WHERE begins with.
            case "DeleteCommand", "MergeIntoCommand", "UpdateCommand" -> changesGold(node);
            default -> false;
        };
    }

    private static boolean setsOfGold(SetCommand set) {
        return set.kv().isDefined() && set.kv().get()._2().isDefined() && Rights.isSettingOfGold(set.kv().get()._1());
    }

    private static boolean creates(CreateNamespace command) {
        List<String> name = command.name() instanceof ResolvedNamespace found ? CollectionConverters.asJava(found.namespace()) : List.of();
        boolean isOurs = name.size() == 1 && (OF_GOLD.contains(name.get(0)) || OF_OTHERS.contains(name.get(0)));
        // A LOCATION is a property.
        return isOurs && CollectionConverters.asJava(command.properties()).isEmpty();
    }

    /** A view of a session, or one of gold. */
    private static boolean views(CreateViewCommand command) {
        TableIdentifier name = command.name();
        boolean isOfSession = command.viewType().getClass().getSimpleName().startsWith("LocalTempView");
        return isOfSession || (name.database().isDefined() && OF_GOLD.contains(name.database().get()));
    }

    /** What the first part of a command names. */
    private static Identifier target(LogicalPlan node) {
        Object first = node.productElement(0);
        if (first instanceof ResolvedIdentifier found) {
            return found.identifier();
        }
        if (first instanceof ResolvedTable found) {
            return found.identifier();
        }
        if (first instanceof TableIdentifier found && found.database().isDefined()) {
            return Identifier.of(new String[] {found.database().get()}, found.table());
        }
        if (first instanceof DataSourceV2Relation found) {
            return OptionConverters.toJava(found.identifier()).orElse(null);
        }
        return null;
    }

    private static boolean isOfGold(Identifier name) {
        return isOf(OF_GOLD, name);
    }

    private static boolean isOfOthers(Identifier name) {
        return isOf(OF_OTHERS, name);
    }

    private static boolean isOf(Set<String> schemas, Identifier name) {
        return name != null && name.namespace().length == 1 && schemas.contains(name.namespace()[0]);
    }

    /** Of Delta's commands, which have the files of the table that they change. */
    private static boolean changesGold(LogicalPlan node) {
        String place = "";
        for (int part = 0; part < node.productArity(); part++) {
            Object found = node.productElement(part);
            place = found instanceof DeltaLog log ? log.dataPath().toString()
                    : found instanceof TahoeFileIndex files ? files.path().toString() : place;
        }
        return place.startsWith(Settings.lake() + "/gold/");
    }

    /** A Delta table at its own place of the lake: `gold.a` at `<lake>/gold/a`. */
    private static boolean isInItsPlace(LogicalPlan node) {
        Identifier name = target(node);
        TableSpec spec = null;
        for (int part = 0; part < node.productArity(); part++) {
            spec = node.productElement(part) instanceof TableSpec found ? found : spec;
        }
        if (name == null || spec == null || name.namespace().length != 1) {
            return false;
        }
        String place = Settings.lake() + "/" + name.namespace()[0] + "/" + name.name();
        return place.equals(OptionConverters.toJava(spec.location()).orElse(""))
                && "delta".equalsIgnoreCase(OptionConverters.toJava(spec.provider()).orElse(""));
    }

    /** `CREATE TABLE IF NOT EXISTS silver.events USING DELTA LOCATION ...`: with columns or properties it would change the table. */
    private static boolean isRegistration(LogicalPlan node) {
        boolean isBare = CollectionConverters.asJava((scala.collection.Seq<?>) node.productElement(1)).isEmpty();
        return isBare && isOfOthers(target(node));
    }
}

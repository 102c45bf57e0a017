package daybreak.sql;

import java.util.Map;
import java.util.Set;

/** The parts of a plan that anybody's statement may have: what is not named here is refused, whatever Spark adds to its SQL. */
final class Nodes {
    /** What computes rows from rows. */
    static final Set<String> OPERATORS = Set.of(
            "Aggregate", "AsOfJoin", "CTERelationDef", "CTERelationRef", "Deduplicate", "Distinct", "EmptyRelation", "Except", "Expand",
            "Filter", "Generate", "GlobalLimit", "Intersect", "Join", "LateralJoin", "LimitAll", "LocalLimit", "LocalRelation", "NearestByJoin", "Offset",
            "OneRowRelation", "Pivot", "Project", "Range", "RebalancePartitions", "Repartition", "RepartitionByExpression",
            "ResolvedHint", "ResolvedInlineTable", "ReturnAnswer", "Sample", "Sort", "Subquery", "SubqueryAlias", "Tail", "Transpose", "Union",
            "UnionLoop", "UnionLoopRef", "Unpivot", "View", "Window", "WithCTE", "WithWindowDefinition", "CommandResult",
            // Of Delta's own queries, which read a table's log in the name of whoever asks for the table.
            "AppendColumns", "DeserializeToObject", "ExternalRDD", "FlatMapGroupsInR", "LogicalRDD", "LogicalQueryStage", "MapElements",
            "MapGroups", "MapPartitions", "SerializeFromObject", "TypedFilter");
    /** What a command is about. */
    static final Set<String> SUBJECTS = Set.of(
            "ResolvedIdentifier", "ResolvedNamespace", "ResolvedNonPersistentFunc", "ResolvedPersistentFunc", "ResolvedPersistentView",
            "ResolvedTable", "ResolvedTempView", "ResolvedDBObjectName", "ResolvedFieldName", "ResolvedFieldPosition");
    /** Commands that show what there is. */
    static final Set<String> SHOWING = Set.of(
            "DescribeColumn", "DescribeColumnCommand", "DescribeDatabaseCommand", "DescribeDeltaDetailCommand", "DescribeDeltaHistory",
            "DescribeDeltaHistoryCommand", "DescribeFunction", "DescribeFunctionCommand", "DescribeNamespace", "DescribeQueryCommand",
            "DescribeRelation", "DescribeRelationJsonCommand", "DescribeTableCommand", "DescribeTablePartition", "ExplainCommand",
            "SetCatalogAndNamespace", "SetDatabaseCommand", "SetNamespaceCommand", "ShowCatalogsCommand", "ShowCollationsCommand", "ShowColumns",
            "ShowColumnsCommand", "ShowCreateTable", "ShowCreateTableAsSerdeCommand", "ShowCreateTableCommand",
            "ShowCurrentNamespaceCommand", "ShowDeltaTableColumnsCommand", "ShowFunctions", "ShowFunctionsCommand", "ShowNamespaces",
            "ShowNamespacesCommand", "ShowPartitions", "ShowPartitionsCommand", "ShowTableExtended", "ShowTablePartition",
            "ShowTableProperties", "ShowTablePropertiesCommand", "ShowTables", "ShowTablesCommand", "ShowTablesExtended", "ShowViews",
            "ShowViewsCommand", "ShowTableStatus");
    /** Parts of names of functions that may read a file of the machine: a schema that an option names. */
    static final Set<String> READ_FILES = Set.of("Avro", "Protobuf", "Xml");
    /** What people call a part that is refused, where its class has another name. */
    static final Map<String, String> SAID = Map.ofEntries(
            Map.entry("ScriptTransformation", "TRANSFORM"), Map.entry("CallMethodViaReflection", "reflect"),
            Map.entry("TryReflect", "try_reflect"), Map.entry("AddJarsCommand", "ADD JAR"), Map.entry("AddFilesCommand", "ADD FILE"),
            Map.entry("AddArchivesCommand", "ADD ARCHIVE"), Map.entry("SetCommand", "SET"), Map.entry("ResetCommand", "RESET"),
            Map.entry("CreateTempViewUsing", "CREATE TEMPORARY VIEW USING"), Map.entry("VacuumTableCommand", "VACUUM"),
            Map.entry("OptimizeTableCommand", "OPTIMIZE"), Map.entry("CreateFunctionCommand", "CREATE FUNCTION"),
            Map.entry("CreateSQLFunctionCommand", "CREATE FUNCTION"), Map.entry("CreateDataSourceTableCommand", "CREATE TABLE"),
            Map.entry("CreateDataSourceTableAsSelectCommand", "CREATE TABLE"), Map.entry("ResolvedPathBasedNonDeltaTable", "SQL on files"),
            Map.entry("ResolvedPathBasedDeltaTable", "SQL on files"), Map.entry("XmlToStructs", "from_xml"));

    private Nodes() {}

    /** INSERT INTO STATEMENT for InsertIntoStatement, and the like. */
    static String said(String name) {
        String known = SAID.get(name);
        return known != null ? known : name.replaceAll("Command$", "").replaceAll("(?<=[a-z])(?=[A-Z])", " ").toUpperCase();
    }
}

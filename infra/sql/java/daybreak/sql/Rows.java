package daybreak.sql;

import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.hive.service.rpc.thrift.TColumn;
import org.apache.hive.service.rpc.thrift.TOperationHandle;
import org.apache.hive.service.rpc.thrift.TRowSet;

/** How many rows of each answer have been fetched. */
final class Rows {
    /** Answers that are remembered; the oldest is forgotten first. */
    private static final int MOST_ANSWERS = 10_000;
    private final Map<ByteBuffer, Long> fetched = Collections.synchronizedMap(new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<ByteBuffer, Long> eldest) {
            return size() > MOST_ANSWERS;
        }
    });

    /** Counts these too; the number of all of them. */
    long and(TOperationHandle answer, TRowSet rows) {
        return fetched.merge(ByteBuffer.wrap(answer.getOperationId().getGuid()), (long) size(rows), Long::sum);
    }

    private static int size(TRowSet rows) {
        if (rows == null) {
            return 0;
        }
        List<TColumn> columns = rows.getColumns();
        // Clients of before 2013 get rows, all others columns.
        return columns == null || columns.isEmpty() ? rows.getRowsSize() : size(columns.get(0));
    }

    private static int size(TColumn column) {
        return switch (column.getSetField()) {
            case BOOL_VAL -> column.getBoolVal().getValuesSize();
            case BYTE_VAL -> column.getByteVal().getValuesSize();
            case I16_VAL -> column.getI16Val().getValuesSize();
            case I32_VAL -> column.getI32Val().getValuesSize();
            case I64_VAL -> column.getI64Val().getValuesSize();
            case DOUBLE_VAL -> column.getDoubleVal().getValuesSize();
            case STRING_VAL -> column.getStringVal().getValuesSize();
            case BINARY_VAL -> column.getBinaryVal().getValuesSize();
        };
    }
}

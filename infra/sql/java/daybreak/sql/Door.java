package daybreak.sql;

import java.util.Map;
import java.util.Set;
import org.apache.hive.service.auth.TSetIpAddressProcessor;
import org.apache.hive.service.cli.CLIService;
import org.apache.hive.service.cli.HiveSQLException;
import org.apache.hive.service.cli.thrift.ThriftBinaryCLIService;
import org.apache.hive.service.rpc.thrift.TFetchResultsReq;
import org.apache.hive.service.rpc.thrift.TFetchResultsResp;
import org.apache.hive.service.rpc.thrift.TOpenSessionReq;
import org.apache.hive.service.rpc.thrift.TOpenSessionResp;
import org.apache.hive.service.rpc.thrift.TStatus;
import org.apache.spark.sql.catalyst.CurrentUserContext;
import org.apache.thrift.TException;

/**
 * The Thrift service, whose sessions bring no settings of their own but those named here, and whose answers to readers have an end.
 *
 * A client sends settings when it opens a session, before any statement is seen: a catalogue of its own (`set:hiveconf:spark.sql.catalog.x`),
 * or a property of the whole JVM (`set:system:`), such as the class that checks passwords.
 */
final class Door extends ThriftBinaryCLIService {
    /** What drivers send by themselves: the database to begin in, rows per answer (Hive's JDBC driver), ANSI (dbt; Spark ignores it). */
    private static final Set<String> ANYBODY = Set.of(
            "use:database", "set:hiveconf:hive.server2.thrift.resultset.default.fetch.size", "spark.sql.ansi.enabled");
    private static final String OF_SPARK = "set:hiveconf:";

    private final Rows rows = new Rows();

    Door(CLIService service) {
        super(service);
    }

    @Override
    public TOpenSessionResp OpenSession(TOpenSessionReq request) throws TException {
        String user = TSetIpAddressProcessor.getUserName();
        if (user == null || user.isEmpty()) {
            return refusal(Refused.sentence("", "a session without a login"));
        }
        Map<String, String> settings = request.isSetConfiguration() ? request.getConfiguration() : Map.of();
        for (String name : settings.keySet()) {
            boolean isOfGold = user.equals(Rights.WRITER) && name.startsWith(OF_SPARK)
                    && Rights.isSettingOfGold(name.substring(OF_SPARK.length()));
            if (!ANYBODY.contains(name) && !isOfGold) {
                return refusal(Refused.sentence(user, "a session with the setting " + name));
            }
        }
        // The database to begin in is a statement, too.
        CurrentUserContext.CURRENT_USER().set(user);
        try {
            return super.OpenSession(request);
        } finally {
            CurrentUserContext.CURRENT_USER().remove();
        }
    }

    /** A reader's answer has an end; the writer's has none. */
    @Override
    public TFetchResultsResp FetchResults(TFetchResultsReq request) throws TException {
        String user = TSetIpAddressProcessor.getUserName();
        if (Rights.WRITER.equals(user)) {
            return super.FetchResults(request);
        }
        long most = Settings.readerRows();
        request.setMaxRows(Math.min(request.getMaxRows(), most + 1));
        TFetchResultsResp found = super.FetchResults(request);
        if (rows.and(request.getOperationHandle(), found.getResults()) <= most) {
            return found;
        }
        return new TFetchResultsResp(status(Refused.tooManyRows(user, most)));
    }

    private static TOpenSessionResp refusal(String said) {
        return new TOpenSessionResp(status(said), CLIService.SERVER_VERSION);
    }

    private static TStatus status(String said) {
        return HiveSQLException.toTStatus(new HiveSQLException(said));
    }
}

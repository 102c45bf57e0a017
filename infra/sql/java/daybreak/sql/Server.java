package daybreak.sql;

import java.lang.reflect.Method;
import java.util.List;
import org.apache.hadoop.hive.common.ServerUtils;
import org.apache.hadoop.hive.conf.HiveConf;
import org.apache.hive.service.CompositeService;
import org.apache.hive.service.Service;
import org.apache.hive.service.cli.CLIService;
import org.apache.hive.service.cli.thrift.ThriftCLIService;
import org.apache.spark.SparkContext;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.hive.HiveUtils$;
import org.apache.spark.sql.hive.thriftserver.HiveThriftServer2;
import org.apache.spark.sql.hive.thriftserver.HiveThriftServer2$;

/** Starts Spark's Thrift server as `HiveThriftServer2.startWithSparkSession` does, with our door, before anyone can connect. */
public final class Server {
    private Server() {}

    public static void start(SparkSession session) throws Exception {
        if (!Rights.isInForce(session)) {
            throw new IllegalStateException("daybreak: the gateway does not start, because nothing would check its statements");
        }
        HiveThriftServer2$ companion = HiveThriftServer2$.MODULE$;
        companion.systemExitOnError().set(false);
        HiveConf conf = HiveUtils$.MODULE$
                .newClientForExecution(session.sparkContext().conf(), session.sessionState().newHadoopConf()).conf();
        ServerUtils.cleanUpScratchDir(conf);
        HiveThriftServer2 server = new HiveThriftServer2(session);
        server.init(conf);
        openOurDoor(server, conf);
        server.start();
        Method tells = HiveThriftServer2$.class.getDeclaredMethod("createListenerAndUI", HiveThriftServer2.class, SparkContext.class);
        tells.setAccessible(true);
        tells.invoke(companion, server, session.sparkContext());
    }

    private static void openOurDoor(HiveThriftServer2 server, HiveConf conf) throws Exception {
        CLIService service = null;
        for (Service one : List.copyOf(server.getServices())) {
            if (one instanceof CLIService found) {
                service = found;
            } else if (one instanceof ThriftCLIService) {
                changed("removeService", server, one);
            }
        }
        Door door = new Door(service);
        door.init(conf);
        changed("addService", server, door);
    }

    private static void changed(String how, HiveThriftServer2 server, Service service) throws Exception {
        Method method = CompositeService.class.getDeclaredMethod(how, Service.class);
        method.setAccessible(true);
        method.invoke(server, service);
    }
}

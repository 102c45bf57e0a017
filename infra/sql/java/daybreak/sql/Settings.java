package daybreak.sql;

import org.apache.spark.SparkEnv;

/** What the gateway was started with: of Spark's own configuration, which no statement and no session changes. */
final class Settings {
    private Settings() {}

    /** The file with a line `user:salt:iterations:hash` per user (infra/sql/users.py writes it). */
    static String users() {
        return wanted("users");
    }

    static String audit() {
        return wanted("audit");
    }

    static long auditBytes() {
        return Long.parseLong(wanted("auditBytes"));
    }

    static long readerRows() {
        return Long.parseLong(wanted("readerRows"));
    }

    /** The lake's root, such as s3a://lake: tables lie there and nowhere else. */
    static String lake() {
        return wanted("lake");
    }

    private static String wanted(String name) {
        // Without it an exception says which is missing, and nothing is allowed.
        return SparkEnv.get().conf().get("spark.daybreak.gateway." + name);
    }
}

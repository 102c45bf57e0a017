package daybreak.sql;

/** A statement, or a login, that its user may not do: one sentence, and a line in the audit log. */
final class Refused {
    private Refused() {}

    /** The sentence. It is written down, and the caller throws it. */
    static String sentence(String user, String what) {
        Audit.line(user, what);
        String may = user.equals(Rights.WRITER) ? "writes gold and staging, from tables" : "reads tables, and nothing else";
        return "daybreak: " + what + " is refused, because " + (user.isEmpty() ? "nobody" : user) + " " + may
                + "; daybreak connect sql gives access";
    }

    static String tooManyRows(String user, long most) {
        Audit.line(user, "more than " + most + " rows");
        return "daybreak: an answer of more than " + most + " rows is refused, because " + user
                + " may ask for so many at a time (DAYBREAK_GATEWAY_READER_ROWS); daybreak connect sql gives access";
    }
}

package daybreak.sql;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** A line for each login that failed and each statement that was refused: when, who, what kind. Never the statement itself. */
final class Audit {
    private static final int LONGEST = 60;

    private Audit() {}

    static synchronized void line(String user, String what) {
        String line = "{\"at\": \"" + Instant.now().truncatedTo(ChronoUnit.SECONDS) + "\", \"user\": \"" + plain(user)
                + "\", \"refused\": \"" + plain(what) + "\"}\n";
        Path file = Path.of(Settings.audit());
        try {
            if (size(file) + line.length() > Settings.auditBytes()) {
                Files.move(file, Path.of(file + ".1"), StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
            }
            if (!Files.exists(file)) {
                Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            }
            Files.writeString(file, line, StandardOpenOption.APPEND);
        } catch (IOException failure) {
            // What cannot be written down is refused all the same.
            throw new UncheckedIOException("daybreak: the audit log " + file + " cannot be written", failure);
        }
    }

    private static long size(Path file) throws IOException {
        try {
            return Files.size(file);
        } catch (NoSuchFileException none) {
            return 0;
        }
    }

    /** Whoever fails to log in has chosen the name: it must not look like another line, nor fill the disk. */
    private static String plain(String text) {
        return text.substring(0, Math.min(text.length(), LONGEST)).replaceAll("[^A-Za-z0-9_.@ :-]", "?");
    }
}

package daybreak.kafka;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import javax.security.auth.callback.Callback;
import javax.security.auth.callback.NameCallback;
import javax.security.auth.callback.UnsupportedCallbackException;
import javax.security.auth.login.AppConfigurationEntry;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.security.auth.AuthenticateCallbackHandler;
import org.apache.kafka.common.security.scram.ScramCredential;
import org.apache.kafka.common.security.scram.ScramCredentialCallback;
import org.apache.kafka.common.security.scram.internals.ScramCredentialUtils;

/**
 * Who may log in at a listener: SCRAM credentials (RFC 5802) from a file, looked up at each login. Kafka's own users are in its
 * log: nobody could log in to a log from before there were users, nor to the controllers before they have read it.
 */
public final class Users implements AuthenticateCallbackHandler {
    private Path file;

    @Override
    public void configure(Map<String, ?> configs, String mechanism, List<AppConfigurationEntry> entries) {
        file = Path.of((String) entries.get(0).getOptions().get("users"));
    }

    @Override
    public void handle(Callback[] callbacks) throws IOException, UnsupportedCallbackException {
        String user = null;
        for (Callback callback : callbacks) {
            if (callback instanceof NameCallback asked) {
                user = asked.getDefaultName();
            } else if (callback instanceof ScramCredentialCallback asked) {
                asked.scramCredential(credential(user));
            } else {
                throw new UnsupportedCallbackException(callback);
            }
        }
    }

    @Override
    public void close() {}

    private ScramCredential credential(String user) throws IOException {
        Properties known = new Properties();
        try (Reader lines = Files.newBufferedReader(file)) {
            known.load(lines);
        }
        String found = known.getProperty(user);
        if (found == null) {
            throw new SaslAuthenticationException(
                    "daybreak: there is no such user here (daybreak connect kafka shows how to log in)");
        }
        return ScramCredentialUtils.credentialFromString(found);
    }
}

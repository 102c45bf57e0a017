package daybreak.sql;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.HexFormat;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;
import javax.security.sasl.AuthenticationException;
import org.apache.hive.service.auth.PasswdAuthenticationProvider;

/** Who logs in: Hive's CUSTOM authentication, against a file of salted hashes (PBKDF2, RFC 8018). */
public final class Passwords implements PasswdAuthenticationProvider {
    private static final String WRONG = "daybreak: the user or the password is wrong (daybreak connect sql shows how to log in)";
    private static final int BITS = 256;

    @Override
    public void Authenticate(String user, String password) throws AuthenticationException {
        boolean isRight = false;
        try {
            for (String line : Files.readAllLines(Path.of(Settings.users()), StandardCharsets.UTF_8)) {
                String[] one = line.split(":");
                byte[] given = hash(password, HexFormat.of().parseHex(one[1]), Integer.parseInt(one[2]));
                // Each user's is computed and compared in the same time, whoever asks.
                isRight |= MessageDigest.isEqual(given, HexFormat.of().parseHex(one[3])) & one[0].equals(user);
            }
        } catch (IOException | GeneralSecurityException failure) {
            throw new AuthenticationException("daybreak: the gateway cannot read its file of users", failure);
        }
        if (!isRight) {
            Audit.line(user, "login");
            throw new AuthenticationException(WRONG);
        }
    }

    private static byte[] hash(String password, byte[] salt, int iterations) throws GeneralSecurityException {
        // An empty password is none: the key factory takes no empty one.
        char[] text = (password == null || password.isEmpty() ? "\0" : password).toCharArray();
        PBEKeySpec key = new PBEKeySpec(text, salt, iterations, BITS);
        return SecretKeyFactory.getInstance("PBKDF2WithHmacSHA256").generateSecret(key).getEncoded();
    }
}

package daybreak.page;

import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.FilterConfig;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Base64;

/** Who sees a page of Spark's: `spark.ui.filters`, which asks for a user and a password (HTTP Basic, RFC 7617). */
public final class Login implements Filter {
    private static final String SCHEME = "Basic ";
    private static final String WHO = "daybreak: this page asks for user and password (daybreak connect spark tells them)\n";
    /** Null if there is no password: then nobody is let in. */
    private byte[] right;

    @Override
    public void init(FilterConfig config) {
        String user = config.getInitParameter("user");
        String password = config.getInitParameter("password");
        if (user != null && password != null && !password.isEmpty()) {
            right = Base64.getEncoder().encode((user + ":" + password).getBytes(StandardCharsets.UTF_8));
        }
    }

    @Override
    public void doFilter(ServletRequest request, ServletResponse response, FilterChain more)
            throws IOException, ServletException {
        if (isRight(((HttpServletRequest) request).getHeader("Authorization"))) {
            more.doFilter(request, response);
            return;
        }
        HttpServletResponse refused = (HttpServletResponse) response;
        refused.setStatus(HttpServletResponse.SC_UNAUTHORIZED);
        refused.setHeader("WWW-Authenticate", "Basic realm=\"Daybreak: Spark\", charset=\"UTF-8\"");
        refused.setContentType("text/plain");
        refused.getWriter().write(WHO);
    }

    private boolean isRight(String said) {
        if (right == null || said == null || !said.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
            return false;
        }
        byte[] given = said.substring(SCHEME.length()).trim().getBytes(StandardCharsets.UTF_8);
        return MessageDigest.isEqual(given, right);
    }
}

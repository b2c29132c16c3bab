package io.headgate.config.consul;

import io.headgate.config.internal.stores.StoreFailure;
import io.headgate.config.internal.stores.StoreFailure.Kind;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.regex.Pattern;
import org.kiwiproject.consul.ConsulException;

/** Describes calls to Consul that failed for operators. */
final class ConsulFailure {

    /** With which messages of the client begin. */
    private static final Pattern REQUEST =
            Pattern.compile("^Consul request (?:to \\[.*?] )?failed with status \\[\\d+]: ");

    private static final int FORBIDDEN = 403;
    private static final int NOT_FOUND = 404;
    private static final int CONFLICT = 409;
    private static final int SERVER_ERROR = 500;
    private static final int MAX_SHOWN = 300;
    private static final String NO_SESSION = "invalid session";

    private ConsulFailure() {}

    /**
     * Translates what the client reports.
     *
     * @param timeout how long the call may take
     */
    static StoreFailure from(String operation, Duration timeout, ConsulException thrown) {
        if (!thrown.hasCode()) {
            return new StoreFailure(Kind.NO_REPLY, operation + ": " + unreachable(timeout, thrown), thrown);
        }
        int status = thrown.getCode();
        String text = REQUEST.matcher(String.valueOf(thrown.getMessage()))
                .replaceFirst("")
                .strip();
        String shown = text.substring(0, Math.min(MAX_SHOWN, text.length())).replaceAll("\\p{Cntrl}+", " ");
        String problem =
                switch (status) {
                    case FORBIDDEN -> "Consul denies the token access: " + shown;
                    case CONFLICT -> "Consul has rolled the transaction back: " + shown;
                    default -> "Consul rejects the call with status " + status + ": " + shown;
                };
        Kind kind =
                switch (status) {
                    case NOT_FOUND -> Kind.NO_LEASE;
                    case CONFLICT -> Kind.ROLLED_BACK;
                    default -> status >= SERVER_ERROR ? ofServerError(text) : Kind.OTHER;
                };
        return new StoreFailure(kind, operation + ": " + problem, thrown);
    }

    /** A server that fails, for example as it loses the leadership, may have executed the call, as one that does not reply. */
    private static Kind ofServerError(String text) {
        return text.contains(NO_SESSION) ? Kind.NO_LEASE : Kind.NO_REPLY;
    }

    /** The deepest problem of the network, which others only wrap: a refused connection, or a certificate that is not trusted. */
    private static String unreachable(Duration timeout, Throwable thrown) {
        String reason = String.valueOf(thrown.getMessage());
        for (Throwable at = thrown.getCause(); at != null; at = at.getCause()) {
            if (at instanceof SocketTimeoutException) {
                return "Consul did not reply within " + timeout.toSeconds() + " s";
            }
            boolean explains = at instanceof IOException || at instanceof GeneralSecurityException;
            if (explains && at.getMessage() != null) {
                reason = at.getMessage();
            }
        }
        return "Consul cannot be reached: " + reason;
    }
}

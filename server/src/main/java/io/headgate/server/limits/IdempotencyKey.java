package io.headgate.server.limits;

import com.linecorp.armeria.common.HttpHeaders;
import io.headgate.http.Problem;
import io.headgate.limits.RequestId;
import io.headgate.server.http.ProblemException;
import io.headgate.server.text.Quoted;
import java.util.List;
import java.util.Optional;

/**
 * Reads the {@code Idempotency-Key} header. Checks of one policy with the same key are charged once. The value may be a quoted string, as
 * in the IETF draft, or unquoted, as many clients send it.
 */
final class IdempotencyKey {

    static final String FIELD = "Idempotency-Key";

    private static final int MAX_LENGTH = 128;

    private IdempotencyKey() {}

    /**
     * Returns the request id in the header, or empty if there is none.
     *
     * @throws ProblemException with status 400 if the header is invalid
     */
    static Optional<RequestId> of(HttpHeaders fields) {
        List<String> given = fields.getAll(FIELD);
        if (given.isEmpty()) {
            return Optional.empty();
        }
        if (given.size() > 1) {
            throw ProblemException.badRequest(FIELD + " is given " + given.size() + " times; send it once");
        }
        String key = unquoted(given.get(0).strip());
        if (key.isEmpty() || key.length() > MAX_LENGTH || !key.chars().allMatch(c -> c >= ' ' && c < 0x7f)) {
            throw ProblemException.badRequest(
                    FIELD + " must be 1 to " + MAX_LENGTH + " printable ASCII characters, was " + Quoted.of(key));
        }
        return Optional.of(RequestId.of(key));
    }

    private static String unquoted(String text) {
        return text.length() > 1 && text.startsWith("\"") && text.endsWith("\"")
                ? text.substring(1, text.length() - 1)
                : text;
    }

    /** Creates the error for a key that was already used for a different check. */
    static ProblemException reused() {
        return new ProblemException(Problem.of(
                422,
                FIELD + " was already used for a check with other permits or ids; nothing was charged."
                        + " Send a new key for a different check"));
    }
}

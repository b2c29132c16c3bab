package io.headgate.server.http;

import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.RequestHeaders;
import io.headgate.http.Problem;
import java.util.Map;
import java.util.Optional;

/** Admits operators: clients with the operator token that do not come from a page of another site. */
public final class OperatorGate {

    private static final Problem OFF = Problem.of(
            403,
            "operator calls are off: the server was started without --operator-token TOKEN, without"
                    + " --operator-token-file FILE and without the variable HEADGATE_OPERATOR_TOKEN");
    private static final Problem UNKNOWN =
            Problem.of(401, "an operator call needs the header field Authorization: Bearer TOKEN with the right token");
    private static final Problem CROSS_SITE = Problem.of(403, "operator calls from pages of other sites are refused");

    private final Optional<BearerToken> token;

    public OperatorGate(Optional<BearerToken> token) {
        this.token = token;
    }

    /**
     * Checks the client.
     *
     * @throws ProblemException with status 401 or 403 if it is not an operator
     */
    public void require(RequestHeaders headers) {
        if (CrossSiteRequests.isCrossSite(headers)) {
            throw new ProblemException(CROSS_SITE);
        }
        if (token.isEmpty()) {
            throw new ProblemException(OFF);
        }
        if (!token.get().isIn(headers.get(HttpHeaderNames.AUTHORIZATION))) {
            throw new ProblemException(UNKNOWN, Map.of(HttpHeaderNames.WWW_AUTHENTICATE.toString(), "Bearer"));
        }
    }
}

package io.headgate.server.limits;

import io.headgate.http.Receipt;
import io.headgate.server.http.JsonBody;
import io.headgate.server.http.ProblemException;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What {@code POST /v1/refund} is asked, read as strictly as a check.
 *
 * @param policy the name of the policy
 * @param attributes those of the check
 * @param receipt of the decision that is taken back; nothing when the oldest permits are meant
 * @param permits how many of the oldest; 1 where there is a receipt, and of no meaning
 */
record RefundRequest(String policy, Map<String, String> attributes, Optional<String> receipt, long permits) {

    private static final String EXAMPLE =
            "{\"policy\": \"api\", \"attributes\": {\"user\": \"alice\"}, \"receipt\": \"BAZE\"}";

    /**
     * Reads the body.
     *
     * @throws ProblemException with status 400 that says what is wrong, and where
     */
    static RefundRequest parse(byte[] body) {
        JsonBody json = JsonBody.parse(body, List.of("policy", "attributes", "receipt", "permits"), EXAMPLE);
        if (json.has("receipt") == json.has("permits")) {
            throw ProblemException.badRequest("give either receipt, or permits for the oldest");
        }
        return new RefundRequest(
                json.string("policy"),
                json.strings("attributes"),
                json.has("receipt") ? Optional.of(json.string("receipt")) : Optional.empty(),
                json.whole("permits", Receipt.MAX_PERMITS));
    }
}

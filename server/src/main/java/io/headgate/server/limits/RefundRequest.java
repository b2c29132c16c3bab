package io.headgate.server.limits;

import io.headgate.http.Receipt;
import io.headgate.server.http.JsonBody;
import io.headgate.server.http.ProblemException;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The body of {@code POST /v1/refund}, read as strictly as a check.
 *
 * @param policy the name of the policy
 * @param attributes the attributes of the check
 * @param receipt the receipt of the decision to refund; empty to refund the oldest permits
 * @param permits the number of the oldest permits to refund; ignored with a receipt
 */
record RefundRequest(String policy, Map<String, String> attributes, Optional<String> receipt, long permits) {

    private static final String EXAMPLE =
            "{\"policy\": \"api\", \"attributes\": {\"user\": \"alice\"}, \"receipt\": \"BAZE\"}";

    /**
     * Reads the body.
     *
     * @throws ProblemException with status 400 that states what is wrong
     */
    static RefundRequest parse(byte[] body) {
        JsonBody json = JsonBody.parse(body, List.of("policy", "attributes", "receipt", "permits"), EXAMPLE);
        if (json.has("receipt") == json.has("permits")) {
            throw ProblemException.badRequest(
                    "give either receipt, to refund its decision, or permits, to refund the oldest permits");
        }
        return new RefundRequest(
                json.string("policy"),
                json.strings("attributes"),
                json.has("receipt") ? Optional.of(json.string("receipt")) : Optional.empty(),
                json.whole("permits", Receipt.MAX_PERMITS));
    }
}

package io.headgate.server.holds;

import io.headgate.limits.Attributes;
import io.headgate.server.http.JsonBody;
import io.headgate.server.http.ProblemException;
import java.util.List;
import java.util.Map;

/**
 * What {@code POST /v1/holds/peek} is asked.
 *
 * @param policy the name of the policy
 * @param attributes whose holds
 */
record PeekRequest(String policy, Map<String, String> attributes) {

    private static final String EXAMPLE = "{\"policy\": \"exports\", \"attributes\": {\"user\": \"alice\"}}";

    /**
     * Reads the body.
     *
     * @throws ProblemException with status 400 that says what is wrong, and where
     */
    static PeekRequest parse(byte[] body) {
        JsonBody json = JsonBody.parse(body, List.of("policy", "attributes"), EXAMPLE);
        return new PeekRequest(json.string("policy"), json.strings("attributes"));
    }

    /**
     * Whose holds.
     *
     * @throws IllegalArgumentException when they are not attributes
     */
    Attributes whose() {
        return Attributes.of(attributes);
    }
}

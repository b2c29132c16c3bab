package io.headgate.server.holds;

import io.headgate.limits.Attributes;
import io.headgate.server.http.JsonBody;
import io.headgate.server.http.ProblemException;
import java.util.List;
import java.util.Map;

/**
 * The body of {@code POST /v1/holds/peek}.
 *
 * @param policy the name of the policy
 * @param attributes the attributes whose holds are counted
 */
record PeekRequest(String policy, Map<String, String> attributes) {

    private static final String EXAMPLE = "{\"policy\": \"exports\", \"attributes\": {\"user\": \"alice\"}}";

    /**
     * Reads the body.
     *
     * @throws ProblemException with status 400 that states what is wrong
     */
    static PeekRequest parse(byte[] body) {
        JsonBody json = JsonBody.parse(body, List.of("policy", "attributes"), EXAMPLE);
        return new PeekRequest(json.string("policy"), json.strings("attributes"));
    }

    /**
     * The attributes, checked.
     *
     * @throws IllegalArgumentException if they are not valid attributes
     */
    Attributes toAttributes() {
        return Attributes.of(attributes);
    }
}

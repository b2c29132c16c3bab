package io.headgate.server.limits;

import io.headgate.server.http.JsonBody;
import io.headgate.server.http.ProblemException;
import java.util.List;
import java.util.Map;

/**
 * A check of one policy in the body of {@code POST /v1/check}, read strictly: an unknown, duplicate or mistyped member is an error
 * that names it.
 *
 * @param policy the name of the policy
 * @param attributes the attributes of the request; none if the member is absent
 * @param permits the number of permits; 1 if the member is absent
 */
record CheckRequest(String policy, Map<String, String> attributes, long permits) {

    /** The members of the JSON object. */
    static final List<String> MEMBERS = List.of("policy", "attributes", "permits");

    static final String EXAMPLE = "{\"policy\": \"api\", \"attributes\": {\"user\": \"alice\"}, \"permits\": 1}";

    /**
     * Reads the object.
     *
     * @throws ProblemException with status 400 that names the wrong member
     */
    static CheckRequest read(JsonBody json) {
        return new CheckRequest(
                json.string("policy"), json.strings("attributes"), json.whole("permits", Long.MAX_VALUE));
    }
}

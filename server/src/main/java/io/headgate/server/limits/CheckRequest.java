package io.headgate.server.limits;

import io.headgate.server.http.JsonBody;
import io.headgate.server.http.ProblemException;
import java.util.List;
import java.util.Map;

/**
 * A check of one policy: an object in the body of {@code POST /v1/check}, or one of several policies that a proxy checks.
 *
 * @param policy the name of the policy
 * @param attributes the attributes of the request
 * @param permits the number of permits
 */
record CheckRequest(String policy, Map<String, String> attributes, long permits) {

    /** The members of the JSON object. */
    static final List<String> MEMBERS = List.of("policy", "attributes", "permits");

    static final String EXAMPLE = "{\"policy\": \"api\", \"attributes\": {\"user\": \"alice\"}, \"permits\": 1}";

    /**
     * Reads the object strictly: an unknown, duplicate or mistyped member is an error. Without {@code attributes} there are none, and
     * without {@code permits} one permit is requested.
     *
     * @throws ProblemException with status 400 that states what is wrong
     */
    static CheckRequest read(JsonBody json) {
        return new CheckRequest(
                json.string("policy"), json.strings("attributes"), json.whole("permits", Long.MAX_VALUE));
    }
}

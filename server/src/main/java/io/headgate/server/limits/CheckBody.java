package io.headgate.server.limits;

import io.headgate.server.http.JsonBody;
import io.headgate.server.http.ProblemException;
import java.util.List;
import java.util.stream.Stream;

/**
 * The body of {@code POST /v1/check}: a check of one policy, or of several that are all charged or none.
 *
 * @param checks at least one
 * @param isCombined whether the body has {@code policies}; the response then has the decision of each
 */
record CheckBody(List<CheckRequest> checks, boolean isCombined) {

    private static final String POLICIES = "policies";

    private static final List<String> MEMBERS =
            Stream.concat(CheckRequest.MEMBERS.stream(), Stream.of(POLICIES)).toList();

    static final int MAX_POLICIES = 16;

    /**
     * Reads the body.
     *
     * @throws ProblemException with status 400 that states what is wrong
     */
    static CheckBody parse(byte[] body) {
        JsonBody json = JsonBody.parse(body, MEMBERS, CheckRequest.EXAMPLE);
        if (!json.has(POLICIES)) {
            return new CheckBody(List.of(CheckRequest.read(json)), false);
        }
        for (String member : CheckRequest.MEMBERS) {
            if (json.has(member)) {
                throw ProblemException.badRequest(member
                        + " must not be given with policies; give it in each object of policies, such as "
                        + CheckRequest.EXAMPLE);
            }
        }
        List<JsonBody> each = json.objects(POLICIES, MAX_POLICIES, CheckRequest.MEMBERS, CheckRequest.EXAMPLE);
        return new CheckBody(each.stream().map(CheckRequest::read).toList(), true);
    }
}

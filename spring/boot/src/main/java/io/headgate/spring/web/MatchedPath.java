package io.headgate.spring.web;

import java.util.Map;

/**
 * What a route of the application, such as one of a gateway, matched of a request's path.
 *
 * @param pattern the pattern that matched; empty if it is unknown
 * @param variables the decoded variables of the pattern
 */
public record MatchedPath(String pattern, Map<String, String> variables) {

    /** The route has no pattern. */
    public static final MatchedPath UNKNOWN = new MatchedPath("", Map.of());

    /** Copies the variables. */
    public MatchedPath {
        variables = Map.copyOf(variables);
    }
}

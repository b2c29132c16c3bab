package io.headgate.spring.web.internal;

import java.util.ArrayList;
import java.util.List;
import org.springframework.http.server.PathContainer;

/**
 * The forms of a request's path. A client can spell a path so that the server and the application's handlers resolve it differently, for
 * example {@code /x/../login}, so routes are matched by both.
 */
final class RoutePaths {

    private RoutePaths() {}

    /** Returns the paths by which a request is matched: one, or two if the server resolves the path to another one. */
    static List<PathContainer> of(WebRequest request) {
        PathContainer received = request.pathWithinApplication();
        PathContainer resolved = request.resolvedPath();
        return resolved == received || text(resolved).equals(text(received))
                ? List.of(received)
                : List.of(resolved, received);
    }

    /** Returns the path without slashes at its end; the same object if it has none. */
    static PathContainer withoutTrailingSlash(PathContainer path) {
        int end = path.elements().size();
        while (end > 1 && path.elements().get(end - 1) instanceof PathContainer.Separator) {
            end--;
        }
        return end == path.elements().size() ? path : path.subPath(0, end);
    }

    /**
     * Returns the path as a text to count by: equal for spellings that differ in escapes, parameters or additional slashes.
     *
     * @param ignoreCase whether spellings that differ in case are equal, too
     */
    static String counted(PathContainer path, boolean ignoreCase) {
        StringBuilder counted = new StringBuilder();
        for (PathContainer.Element element : path.elements()) {
            if (element instanceof PathContainer.PathSegment segment) {
                counted.append('/').append(unambiguous(segment));
            }
        }
        if (ignoreCase) {
            for (int i = 0; i < counted.length(); i++) {
                counted.setCharAt(i, Character.toLowerCase(Character.toUpperCase(counted.charAt(i))));
            }
        }
        return counted.isEmpty() ? "/" : counted.toString();
    }

    /** The decoded segment, whose slashes stay escaped: {@code /a%2Fb} has one segment, and {@code /a/b} two. */
    private static String unambiguous(PathContainer.PathSegment segment) {
        return segment.valueToMatch().replace("/", "%2F");
    }

    /** The names of the variables in patterns: the text after each outer brace, without an asterisk and a regular expression. */
    static List<String> variables(List<String> patterns) {
        List<String> names = new ArrayList<>();
        for (String pattern : patterns) {
            int depth = 0;
            for (int i = 0; i < pattern.length(); i++) {
                depth -= pattern.charAt(i) == '}' ? 1 : 0;
                if (pattern.charAt(i) == '{' && depth++ == 0) {
                    int end = i + 1;
                    while (end < pattern.length() && pattern.charAt(end) != '}' && pattern.charAt(end) != ':') {
                        end++;
                    }
                    names.add(pattern.substring(i + 1, end).replace("*", ""));
                }
            }
        }
        return names.stream().distinct().toList();
    }

    private static String text(PathContainer path) {
        StringBuilder text = new StringBuilder();
        for (PathContainer.Element element : path.elements()) {
            text.append(element instanceof PathContainer.PathSegment segment ? unambiguous(segment) : element.value());
        }
        return text.toString();
    }
}

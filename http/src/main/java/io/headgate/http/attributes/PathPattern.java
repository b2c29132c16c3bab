package io.headgate.http.attributes;

import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * A pattern that matches paths segment by segment. {@code *} and <code>{name}</code> match one segment that is not empty, a final
 * {@code **} matches any number of segments, and any other segment matches itself. A trailing slash of a path is ignored.
 *
 * @param text the pattern as it was given
 * @param segments the segments of the pattern, without a final {@code **}
 * @param open whether the pattern ends with {@code **}
 */
record PathPattern(String text, List<String> segments, boolean open) {

    private static final Pattern VARIABLE = Pattern.compile("\\{[A-Za-z_][A-Za-z0-9_-]*}");
    private static final String REST = "**";
    private static final String FORM =
            "must begin with / and have segments such as orders, * or {id}, and ** only as the last";

    /**
     * Parses a pattern.
     *
     * @throws IllegalArgumentException if the text is malformed
     */
    static PathPattern parse(String text) {
        if (!text.startsWith("/")) {
            throw malformed(text);
        }
        List<String> all = segmentsOf(text);
        boolean open = !all.isEmpty() && all.get(all.size() - 1).equals(REST);
        List<String> segments = open ? all.subList(0, all.size() - 1) : all;
        Set<String> variables = new HashSet<>();
        for (String segment : segments) {
            boolean plain = !segment.isEmpty() && "*{}?#%".chars().noneMatch(c -> segment.indexOf(c) >= 0);
            boolean variable = VARIABLE.matcher(segment).matches();
            if (!plain && !variable && !segment.equals("*")) {
                throw malformed(text);
            }
            if (variable && !variables.add(segment)) {
                throw new IllegalArgumentException("path pattern " + text + " must have each variable once");
            }
        }
        return new PathPattern(text, List.copyOf(segments), open);
    }

    private static IllegalArgumentException malformed(String text) {
        return new IllegalArgumentException("path pattern " + FORM + ", but was " + text);
    }

    PathPattern requireVariable(String name) {
        if (!segments.contains("{" + name + "}")) {
            throw new IllegalArgumentException("path pattern " + text + " must have the variable {" + name + "}");
        }
        return this;
    }

    /** Whether the pattern matches a path in normal form. */
    boolean matches(String path) {
        return path.startsWith("/") && matches(segmentsOf(path));
    }

    /** Returns the segment of a path that a variable of this pattern matches, still percent-encoded; empty if the path does not match. */
    Optional<String> variable(String path, String name) {
        if (!path.startsWith("/")) {
            return Optional.empty();
        }
        List<String> given = segmentsOf(path);
        return matches(given) ? Optional.of(given.get(segments.indexOf("{" + name + "}"))) : Optional.empty();
    }

    private boolean matches(List<String> given) {
        if (open ? given.size() < segments.size() : given.size() != segments.size()) {
            return false;
        }
        for (int i = 0; i < segments.size(); i++) {
            String segment = segments.get(i);
            boolean any = segment.equals("*") || segment.startsWith("{");
            if (any ? given.get(i).isEmpty() : !segment.equals(given.get(i))) {
                return false;
            }
        }
        return true;
    }

    private static List<String> segmentsOf(String path) {
        String inner = path.substring(1, path.length() > 1 && path.endsWith("/") ? path.length() - 1 : path.length());
        return inner.isEmpty() ? List.of() : List.of(inner.split("/", -1));
    }
}

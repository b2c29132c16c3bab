package io.headgate.config.internal.yaml;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Replaces {@code ${NAME}} and {@code ${NAME:-default}} in the values of a tree of YAML. A second dollar sign before a brace makes it text.
 * The tree is parsed before, so that the value of a variable never becomes a key or a list. The scalars keep their text before the
 * replacement, which errors show.
 */
public final class Variables {

    /** The maximum length of a value in which variables are replaced. */
    public static final int MAX_CHARACTERS = 4096;

    private static final String START = "${";
    private static final Pattern REFERENCE =
            Pattern.compile("\\$\\{([A-Za-z_][A-Za-z0-9_]{0,127})(?::-(.*))?}", Pattern.DOTALL);

    /** The values by name; empty if variables are errors. */
    private final Optional<Map<String, String>> values;

    private final Set<String> used = new TreeSet<>();

    private Variables(Optional<Map<String, String>> values) {
        this.values = values;
    }

    /** Creates the variables of a local file. */
    public static Variables of(Map<String, String> values) {
        return new Variables(Optional.of(values));
    }

    /** Creates the variables of a remote document, in which each reference is an error. */
    public static Variables forbidden() {
        return new Variables(Optional.empty());
    }

    /** Whether the source is a local file. */
    public boolean areAllowed() {
        return values.isPresent();
    }

    /** Returns the names that occurred in the trees so far, whether they have a value or not. */
    public Set<String> used() {
        return used;
    }

    /** Returns the tree of a file with the values of its variables. Records a problem for each that has none. */
    public Yaml replaced(Yaml root, Problems problems) {
        if (!(root instanceof Yaml.Mapping mapping)) {
            return node(root, problems);
        }
        Map<String, Yaml.Entry> entries = new LinkedHashMap<>();
        mapping.entries()
                .forEach((key, entry) -> entries.put(key, key.equals(Includes.KEY) ? entry : entry(entry, problems)));
        return new Yaml.Mapping(mapping.where(), entries);
    }

    private Yaml.Entry entry(Yaml.Entry entry, Problems problems) {
        return new Yaml.Entry(entry.key(), node(entry.value(), problems));
    }

    private Yaml node(Yaml node, Problems problems) {
        if (node instanceof Yaml.Scalar scalar) {
            return scalar.text().contains(START) ? scalar(scalar, problems) : scalar;
        }
        if (node instanceof Yaml.Sequence list) {
            List<Yaml> items = new ArrayList<>();
            list.items().forEach(item -> items.add(node(item, problems)));
            return new Yaml.Sequence(list.where(), items);
        }
        if (node instanceof Yaml.Mapping mapping) {
            Map<String, Yaml.Entry> entries = new LinkedHashMap<>();
            mapping.entries().forEach((key, entry) -> entries.put(key, entry(entry, problems)));
            return new Yaml.Mapping(mapping.where(), entries);
        }
        return node;
    }

    private Yaml scalar(Yaml.Scalar written, Problems problems) {
        String text = written.text();
        StringBuilder replaced = new StringBuilder();
        boolean hasVariable = false;
        int at = 0;
        for (int start = text.indexOf(START); start >= 0; start = text.indexOf(START, at)) {
            if (start > at && text.charAt(start - 1) == '$') {
                replaced.append(text, at, start - 1).append(START);
                at = start + START.length();
                continue;
            }
            replaced.append(text, at, start);
            int end = text.indexOf('}', start);
            String reference = text.substring(start, end < 0 ? text.length() : end + 1);
            String value = value(reference, written.where(), problems);
            if (value == null) {
                return new Yaml.Refused(written.where());
            }
            replaced.append(value, 0, Math.min(value.length(), MAX_CHARACTERS + 1));
            if (replaced.length() > MAX_CHARACTERS) {
                return tooLong(written, problems);
            }
            hasVariable = true;
            at = start + reference.length();
        }
        replaced.append(text, at, text.length());
        if (!hasVariable) {
            return new Yaml.Scalar(written.where(), replaced.toString());
        }
        return replaced.length() > MAX_CHARACTERS
                ? tooLong(written, problems)
                : new Yaml.Scalar(written.where(), replaced.toString(), Optional.of(text));
    }

    private static Yaml tooLong(Yaml.Scalar written, Problems problems) {
        problems.add(
                written.where(),
                "must have at most " + MAX_CHARACTERS + " characters with the values of its variables, was "
                        + Quoted.value(written.text()));
        return new Yaml.Refused(written.where());
    }

    /** Returns the value of a reference such as {@code ${NAME}}; null if it has none, and the problem is recorded. */
    private @Nullable String value(String reference, Where where, Problems problems) {
        if (values.isEmpty()) {
            problems.add(
                    where,
                    "has " + Quoted.value(reference)
                            + ", but variables are for local files only; write the value, or $${ for the text ${");
            return null;
        }
        Matcher parts = REFERENCE.matcher(reference);
        String otherwise = parts.matches() ? parts.group(2) : null;
        if (!parts.matches() || (otherwise != null && otherwise.contains("{"))) {
            problems.add(
                    where,
                    "has " + Quoted.value(reference)
                            + "; must be ${NAME} or ${NAME:-default}, where NAME has 1 to 128 of A-Z a-z 0-9 _ and does not begin"
                            + " with a digit, and the default has no brace; write $${ for the text ${");
            return null;
        }
        String name = parts.group(1);
        used.add(name);
        String value = values.get().get(name);
        if (value == null || (value.isEmpty() && otherwise != null)) {
            value = otherwise;
        }
        if (value == null) {
            problems.add(
                    where,
                    "variable " + name + " is not set, and has no default; set it in the environment of the process,"
                            + " or write ${" + name + ":-default}");
        }
        return value;
    }
}

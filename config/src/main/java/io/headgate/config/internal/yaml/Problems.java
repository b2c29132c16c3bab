package io.headgate.config.internal.yaml;

import io.headgate.config.ConfigException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Collects the problems of one source, so that its author sees all of them together.
 *
 * <p>After a problem, reading continues with a valid value instead of the wrong one; at the end, the source is rejected. Reading
 * {@linkplain #stop stops} only if the rest of the source cannot be read.
 */
public final class Problems {

    /** The maximum number of listed problems; further ones are counted. */
    public static final int MAX_LISTED = 20;

    /** The maximum number of variables that a message names. */
    private static final int MAX_SHOWN = 5;

    private static final Pattern WITH_DIGITS = Pattern.compile("\\S*[0-9]\\S*");

    private static final Comparator<Problem> IN_ORDER =
            Comparator.comparing(Problem::where).thenComparing(Problem::number);

    private final String source;
    private final boolean secret;
    private final boolean local;
    /** The problems to list. Its head is the last of them, which is dropped if there are too many. */
    private final PriorityQueue<Problem> lastOfListed = new PriorityQueue<>(IN_ORDER.reversed());

    private int count;

    /** Creates a collection for a source without secrets, whose text may be shown. */
    public Problems(String source) {
        this(source, false, false);
    }

    private Problems(String source, boolean secret, boolean local) {
        this.source = source;
        this.secret = secret;
        this.local = local;
    }

    /** Creates a collection for a local file of policies, which may have variables. */
    public static Problems ofLocalFile(String source) {
        return new Problems(source, false, true);
    }

    /**
     * Creates a collection for a source that may contain passwords. Errors show only the values of known keys.
     *
     * @param source the name of the source; empty if it has no lines, as properties
     */
    public static Problems ofSecrets(String source) {
        return new Problems(source, true, false);
    }

    /** Whether the source may have variables, so that errors mention them. */
    boolean isLocal() {
        return local;
    }

    /** Whether text of the source may be a secret, so that it is not shown. */
    boolean isSecret() {
        return secret;
    }

    /** Returns the path of a key below {@code path}; a key that may be a secret is replaced by dots. */
    String below(String path, String key) {
        return secret && !Quoted.isClearName(key) ? Where.below(path, "...") : Where.below(path, key);
    }

    /** Records a problem. */
    public void add(Where where, String problem) {
        lastOfListed.add(new Problem(where, count++, problem));
        if (lastOfListed.size() > MAX_LISTED) {
            lastOfListed.remove();
        }
    }

    /** Records that a value is not the expected one, unless a problem with it was already recorded. */
    public void wrong(Yaml value, String expected) {
        if (!(value instanceof Yaml.Refused)) {
            add(value.where(), "must be " + expected + ", was " + value.shown());
        }
    }

    /** Records that a value is of another kind than expected, such as a string instead of a mapping. */
    void wrongKind(Yaml value, String expected) {
        if (secret && value instanceof Yaml.Scalar) {
            add(value.where(), "must be " + expected + ", was a string; write a space after the colon of each key");
        } else {
            wrong(value, expected);
        }
    }

    private static List<Yaml.Scalar> variables(Yaml node) {
        List<Yaml.Scalar> found = new ArrayList<>();
        addVariables(node, found);
        return found;
    }

    private static void addVariables(Yaml node, List<Yaml.Scalar> found) {
        if (node instanceof Yaml.Scalar scalar && scalar.written().isPresent()) {
            found.add(scalar);
        } else if (node instanceof Yaml.Sequence list) {
            list.items().forEach(item -> addVariables(item, found));
        } else if (node instanceof Yaml.Mapping mapping) {
            mapping.entries().values().forEach(entry -> addVariables(entry.value(), found));
        }
    }

    /**
     * Returns a message of the API, in which dots replace each number, as it may be the value of a variable. If a variable is not a number,
     * the message is not shown.
     *
     * @param end follows the message if that is shown
     */
    private static String withoutValues(String message, List<Yaml.Scalar> variables, String end) {
        if (variables.isEmpty()) {
            return message + end;
        }
        String written = variables.stream()
                .map(Yaml.Scalar::shown)
                .distinct()
                .limit(MAX_SHOWN)
                .collect(Collectors.joining(", "));
        return variables.stream().allMatch(value -> Scalars.isNumeric(value.text()))
                ? WITH_DIGITS.matcher(message).replaceAll("…") + end + "; it depends on " + written
                : "is not valid with " + written + "; write the values in a copy of the file, and check that";
    }

    /**
     * Returns the object that the API creates. If the API rejects it, records the message, and returns {@code standIn}. The message must
     * show names and counts only, which have no variables.
     */
    public <T> T made(Where where, T standIn, Supplier<T> make) {
        return made(new Yaml.Empty(where), where, standIn, make);
    }

    /**
     * Returns the object that the API creates. If the API rejects it, records the message, and returns {@code standIn}.
     *
     * @param about all values that the message may show; those of variables are hidden
     */
    public <T> T made(Yaml about, Where where, T standIn, Supplier<T> make) {
        try {
            return make.get();
        } catch (IllegalArgumentException e) {
            add(where, withoutValues(String.valueOf(e.getMessage()), variables(about), ""));
            return standIn;
        }
    }

    /**
     * Returns whether the API accepts a value. If not, records its message, such as {@code window must be from 1 ms to 366 days, was
     * PT0S}. The path of the value already names the subject of the message, so the subject is replaced, and the value is shown as it was
     * written.
     *
     * @param subject replaces all of the message before "must be"; may be empty
     * @param make passes the value to the API
     */
    public boolean accepted(Yaml value, String subject, Runnable make) {
        return accepted(value, value, subject, make);
    }

    /**
     * Returns whether the API accepts a value together with others.
     *
     * @param about all values that the message may show; those of variables are hidden
     */
    public boolean accepted(Yaml value, Yaml about, String subject, Runnable make) {
        try {
            make.run();
            return true;
        } catch (IllegalArgumentException e) {
            String message = String.valueOf(e.getMessage());
            int from = message.indexOf("must be ");
            int to = message.indexOf(", was ", Math.max(from, 0));
            List<Yaml.Scalar> variables = variables(about);
            if (from >= 0 && to > from) {
                variables.removeIf(value::equals);
                message = subject + message.substring(from, to);
                add(value.where(), withoutValues(message, variables, ", was " + value.shown()));
            } else {
                add(value.where(), withoutValues(message, variables, ""));
            }
            return false;
        }
    }

    /** Records a last problem, and returns the exception to throw. */
    public ConfigException stop(Where where, String problem) {
        add(where, problem);
        return failure();
    }

    /** Returns the exception for a problem with the source as a whole. */
    public ConfigException stop(String problem) {
        String line = source + ": " + problem;
        return new ConfigException(List.of(line));
    }

    /** Rejects the source if a problem was recorded. */
    public void throwIfAny() {
        if (count > 0) {
            throw failure();
        }
    }

    private ConfigException failure() {
        List<String> lines = lastOfListed.stream()
                .sorted(IN_ORDER)
                .map(problem -> prefix(problem.where()) + problem.where().message(problem.text()))
                .toList();
        return new ConfigException(lines, count - lines.size());
    }

    private String prefix(Where where) {
        return where.isProperty() ? "" : source + ":";
    }

    private record Problem(Where where, int number, String text) {}
}

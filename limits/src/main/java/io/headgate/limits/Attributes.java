package io.headgate.limits;

import io.headgate.limits.internal.Bounds;
import io.headgate.limits.internal.Quoted;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The named properties of a request, such as its user, address and endpoint. A rule counts by the attributes that are its dimensions.
 * {@linkplain Policy.Builder#override Overrides} may match any attributes. Other attributes have no effect.
 *
 * <p>A value may be any string. Keys contain the hash of a value of more than 128 characters, or one that starts with {@code ~}. An
 * empty value counts as missing. Instances are immutable and safe for use by several threads.
 */
public final class Attributes {

    /** The conventional name of the attribute for the user, account or API key. */
    public static final String USER = "user";

    /** The conventional name of the attribute for the client's address. */
    public static final String IP = "ip";

    /** The conventional name of the attribute for the route or method that is called. */
    public static final String ENDPOINT = "endpoint";

    /** The conventional name of the attribute for the client program. */
    public static final String USER_AGENT = "user-agent";

    /** The dimension of a limiter that is created without a policy, by {@link LimitEngine#limiter(String, Limit)}. */
    public static final String KEY = "key";

    private static final Attributes NONE = new Attributes(Map.of());

    private final Map<String, String> values;

    private Attributes(Map<String, String> values) {
        this.values = values;
    }

    /** Returns empty attributes, for a policy whose rules have no dimensions. */
    public static Attributes none() {
        return NONE;
    }

    /** Returns attributes with a single entry. */
    public static Attributes of(String name, String value) {
        return new Attributes(Map.of(
                Bounds.name("name of an attribute", Objects.requireNonNull(name, "name")),
                Objects.requireNonNull(value, "value")));
    }

    /** Returns attributes with a single entry. Does not check its name: it is the dimension of a rule, and was checked before. */
    static Attributes ofChecked(String dimension, String value) {
        return new Attributes(Map.of(dimension, value));
    }

    /**
     * Returns attributes with the entries of a map, which is copied.
     *
     * @param values up to 32 values by name; a name is 1 to 64 of {@code A-Z a-z 0-9 . _ -}, the first a letter or digit
     */
    public static Attributes of(Map<String, String> values) {
        Bounds.inRange("number of attributes", values.size(), 0, Bounds.MAX_ATTRIBUTES);
        values.forEach((name, value) -> {
            Bounds.name("name of an attribute", Objects.requireNonNull(name, "name"));
            Objects.requireNonNull(value, () -> "value of attribute " + name);
        });
        return new Attributes(Map.copyOf(values));
    }

    /**
     * Returns these attributes with one added, or with its value replaced.
     *
     * @throws IllegalArgumentException if the name is malformed, or there are already 32 other attributes
     */
    public Attributes with(String name, String value) {
        Map<String, String> more = new LinkedHashMap<>(values);
        more.put(name, Objects.requireNonNull(value, "value"));
        return of(more);
    }

    /** Returns the values by name; unmodifiable. */
    public Map<String, String> asMap() {
        return values;
    }

    /**
     * Returns the values of a rule's dimensions, in the order of {@link Rule#dimensions()}.
     *
     * @throws IllegalArgumentException if a value is missing or empty
     */
    public List<String> idsOf(Rule rule) {
        return idsOf(rule.name(), rule.dimensions());
    }

    /**
     * Returns the values of a rule's dimensions, in the order of {@link Rule#dimensions()}.
     *
     * @throws IllegalArgumentException if a value is missing or empty
     */
    public List<String> idsOf(InFlightRule rule) {
        return idsOf(rule.name(), rule.dimensions());
    }

    /**
     * Returns the value of a rule's only dimension.
     *
     * @throws IllegalArgumentException if the value is missing or empty, or the rule has no dimension or several
     */
    public String idOf(Rule rule) {
        if (rule.dimensions().size() != 1) {
            throw new IllegalArgumentException(
                    "rule " + rule.name() + " counts by " + rule.dimensions() + ", not by one dimension");
        }
        return required(rule.name(), rule.dimensions().get(0));
    }

    private List<String> idsOf(String rule, List<String> dimensions) {
        return switch (dimensions.size()) {
            case 0 -> List.of();
            case 1 -> List.of(required(rule, dimensions.get(0)));
            default ->
                dimensions.stream().map(dimension -> required(rule, dimension)).toList();
        };
    }

    private String required(String rule, String dimension) {
        String value = values.get(dimension);
        if (value != null && value.isEmpty()) {
            throw new IllegalArgumentException("rule " + rule + " counts by " + Quoted.of(dimension)
                    + ", which is empty in the request; give at least one character");
        }
        if (value == null) {
            throw new IllegalArgumentException("rule " + rule + " counts by " + Quoted.of(dimension)
                    + ", which the request does not have; it has " + values.keySet());
        }
        return value;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Attributes that && values.equals(that.values);
    }

    @Override
    public int hashCode() {
        return values.hashCode();
    }

    @Override
    public String toString() {
        return values.toString();
    }
}

package io.headgate.limits;

import io.headgate.limits.internal.Bounds;
import io.headgate.limits.internal.Quoted;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * What is known of a request: which user, address, endpoint it is, by name. A rule looks up its dimensions here; what
 * no rule asks for is ignored.
 *
 * <p>A value may be any string of any length; long and odd ones are bounded in the key. An empty value is the same as
 * none. Immutable.
 */
public final class Attributes {

    /** The usual name for the user, account or API key. */
    public static final String USER = "user";

    /** The usual name for the client's address. */
    public static final String IP = "ip";

    /** The usual name for the route or method that is called. */
    public static final String ENDPOINT = "endpoint";

    /** The usual name for the client program. */
    public static final String USER_AGENT = "user-agent";

    /** The default name of the dimension of a limiter with a single dimension. */
    public static final String KEY = "key";

    private static final Attributes NONE = new Attributes(Map.of());

    private final Map<String, String> values;

    private Attributes(Map<String, String> values) {
        this.values = values;
    }

    /** No attributes: enough for a policy whose rules are all global. */
    public static Attributes none() {
        return NONE;
    }

    /** One attribute. */
    public static Attributes of(String name, String value) {
        return new Attributes(Map.of(
                Bounds.name("name of an attribute", Objects.requireNonNull(name, "name")),
                Objects.requireNonNull(value, "value")));
    }

    /** One attribute, by the name of a dimension, which was checked when its rule was made. */
    static Attributes ofChecked(String dimension, String value) {
        return new Attributes(Map.of(dimension, value));
    }

    /**
     * A copy of the map.
     *
     * @param values up to 32, by names of 1 to 64 of {@code A-Z a-z 0-9 . _ -}, beginning with a letter or digit
     */
    public static Attributes of(Map<String, String> values) {
        Bounds.inRange("number of attributes", values.size(), 0, Bounds.MAX_ATTRIBUTES);
        values.forEach((name, value) -> {
            Bounds.name("name of an attribute", Objects.requireNonNull(name, "name"));
            Objects.requireNonNull(value, () -> "value of attribute " + name);
        });
        return new Attributes(Map.copyOf(values));
    }

    /** These and one more; a value of the same name is replaced. */
    public Attributes with(String name, String value) {
        Map<String, String> more = new LinkedHashMap<>(values);
        more.put(name, Objects.requireNonNull(value, "value"));
        return of(more);
    }

    /** All of them. */
    public Map<String, String> asMap() {
        return values;
    }

    /**
     * The values of a rule's dimensions, in the rule's order.
     *
     * @throws IllegalArgumentException when one of them is missing or empty
     */
    public List<String> idsOf(Rule rule) {
        return idsOf(rule.name(), rule.dimensions());
    }

    /**
     * The values of a rule's dimensions, in the rule's order.
     *
     * @throws IllegalArgumentException when one of them is missing or empty
     */
    public List<String> idsOf(InFlightRule rule) {
        return idsOf(rule.name(), rule.dimensions());
    }

    /**
     * The id of a rule that counts by one dimension.
     *
     * @throws IllegalArgumentException when it is missing or empty, or the rule counts by none or several
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

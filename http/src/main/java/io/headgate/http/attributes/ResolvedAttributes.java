package io.headgate.http.attributes;

import io.headgate.http.attributes.ResolvedValue.Absent;
import io.headgate.limits.Attributes;
import java.util.Collection;
import java.util.Map;

/**
 * The attributes that a resolver found in a request, and the reasons for those that it did not find. Immutable.
 *
 * @param attributes the attributes that have a value
 * @param absent the other attributes of the resolver by name, with the reason
 */
public record ResolvedAttributes(Attributes attributes, Map<String, Absent> absent) {

    /** Copies the map. */
    public ResolvedAttributes {
        absent = Map.copyOf(absent);
    }

    /**
     * Returns whether all of these attributes have a value.
     *
     * @param names for example the dimensions of a rule
     */
    public boolean hasAll(Collection<String> names) {
        return attributes.asMap().keySet().containsAll(names);
    }
}

package io.headgate.config;

import io.headgate.limits.Policy;
import java.util.Collection;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Policies by name, in the order in which they were written. Immutable; compared by content. */
public final class Policies implements Iterable<Policy> {

    private final Map<String, Policy> byName;

    private Policies(Map<String, Policy> byName) {
        this.byName = byName;
    }

    /**
     * These policies.
     *
     * @throws IllegalArgumentException when two have the same name
     */
    public static Policies of(Collection<Policy> policies) {
        Map<String, Policy> byName = new LinkedHashMap<>();
        for (Policy policy : policies) {
            if (byName.put(policy.name(), policy) != null) {
                throw new IllegalArgumentException("two policies are named " + policy.name());
            }
        }
        return new Policies(Collections.unmodifiableMap(byName));
    }

    /**
     * The policy of that name.
     *
     * @throws IllegalArgumentException when there is none
     */
    public Policy get(String name) {
        return find(name)
                .orElseThrow(() -> new IllegalArgumentException(
                        "no policy is named " + Shown.value(name) + "; there are " + names()));
    }

    /** The policy of that name, if there is one. */
    public Optional<Policy> find(String name) {
        return Optional.ofNullable(byName.get(name));
    }

    /** Their names. */
    public Set<String> names() {
        return byName.keySet();
    }

    /** All of them. */
    public List<Policy> list() {
        return List.copyOf(byName.values());
    }

    @Override
    public Iterator<Policy> iterator() {
        return byName.values().iterator();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Policies that && list().equals(that.list());
    }

    @Override
    public int hashCode() {
        return list().hashCode();
    }

    @Override
    public String toString() {
        return byName.values().toString();
    }
}

package io.headgate.config;

import io.headgate.config.internal.yaml.Quoted;
import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.Policy;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * A set of policies by name, in the order of their source. Iteration returns the policies of rate limits; {@link #inFlight()} returns
 * the in-flight policies. No two policies share a name. Immutable, safe for use by any number of threads, and compared by content.
 */
public final class Policies implements Iterable<Policy> {

    private final Map<String, Policy> byName;
    private final Map<String, InFlightPolicy> inFlight;
    private final Map<List<String>, String> written;

    private Policies(
            Map<String, Policy> byName, Map<String, InFlightPolicy> inFlight, Map<List<String>, String> written) {
        this.byName = byName;
        this.inFlight = inFlight;
        this.written = written;
    }

    /**
     * Creates a set of policies of rate limits only.
     *
     * @throws IllegalArgumentException if two policies have the same name
     */
    public static Policies of(Collection<Policy> policies) {
        return of(policies, List.of());
    }

    /**
     * Creates a set of policies of rate limits and in-flight policies.
     *
     * @throws IllegalArgumentException if two policies have the same name
     */
    public static Policies of(Collection<Policy> policies, Collection<InFlightPolicy> inFlight) {
        return of(policies, inFlight, Map.of());
    }

    /** Creates a set of policies of a file, with the settings that have variables as they were written. */
    static Policies of(
            Collection<Policy> policies, Collection<InFlightPolicy> inFlight, Map<List<String>, String> written) {
        Set<String> names = new HashSet<>();
        return new Policies(
                byName(policies, Policy::name, names),
                byName(inFlight, InFlightPolicy::name, names),
                Map.copyOf(written));
    }

    /**
     * Returns all policies of several sets.
     *
     * @throws IllegalArgumentException if two policies have the same name
     */
    public static Policies merged(List<Policies> sets) {
        Map<List<String>, String> written = new LinkedHashMap<>();
        sets.forEach(set -> written.putAll(set.written));
        return of(
                sets.stream().flatMap(set -> set.byName.values().stream()).toList(),
                sets.stream().flatMap(set -> set.inFlight.values().stream()).toList(),
                written);
    }

    /**
     * Returns these policies and others.
     *
     * @throws IllegalArgumentException if two policies have the same name
     */
    public Policies with(Policies others) {
        return merged(List.of(this, others));
    }

    /**
     * Returns the text of a setting in its local file before variables were replaced, in which diffs show it.
     *
     * @param path the name and a key of a policy, such as {@code [api, lease]}; for a rule, {@code [api, rules, per-user, ban]}, or without
     *     a key, which is the limit. A budget belongs to its fallback
     * @return the text; empty if the setting has no variable
     */
    public Optional<String> written(List<String> path) {
        return Optional.ofNullable(written.get(path));
    }

    private static <P> Map<String, P> byName(Collection<P> policies, Function<P, String> nameOf, Set<String> names) {
        Map<String, P> byName = new LinkedHashMap<>();
        for (P policy : policies) {
            String name = nameOf.apply(policy);
            if (!names.add(name)) {
                throw new IllegalArgumentException("two policies are named " + name);
            }
            byName.put(name, policy);
        }
        return Collections.unmodifiableMap(byName);
    }

    /**
     * Returns the policy of rate limits with this name.
     *
     * @throws IllegalArgumentException if there is no such policy, or it has in-flight limits
     */
    public Policy get(String name) {
        return find(name)
                .orElseThrow(() ->
                        none(name, names(), "rate limits", inFlight.containsKey(name) ? "has in-flight limits" : ""));
    }

    /**
     * Returns the in-flight policy with this name.
     *
     * @throws IllegalArgumentException if there is no such policy, or it has no in-flight limits
     */
    public InFlightPolicy inFlight(String name) {
        return findInFlight(name)
                .orElseThrow(() -> none(
                        name,
                        inFlight.keySet(),
                        "in-flight limits",
                        byName.containsKey(name) ? "has no in-flight limits" : ""));
    }

    private static IllegalArgumentException none(String name, Set<String> names, String kind, String is) {
        String given = Quoted.value(name);
        return new IllegalArgumentException(
                (is.isEmpty() ? "no policy is named " + given : "policy " + given + " " + is)
                        + (names.isEmpty() ? "; add a policy with " + kind : "; there are " + names));
    }

    /** Returns the policy of rate limits with this name, if there is one. */
    public Optional<Policy> find(String name) {
        return Optional.ofNullable(byName.get(name));
    }

    /** Returns the in-flight policy with this name, if there is one. */
    public Optional<InFlightPolicy> findInFlight(String name) {
        return Optional.ofNullable(inFlight.get(name));
    }

    /** Returns the in-flight policies. */
    public List<InFlightPolicy> inFlight() {
        return List.copyOf(inFlight.values());
    }

    /** Returns the names of the policies of rate limits. */
    public Set<String> names() {
        return byName.keySet();
    }

    /** Returns the policies of rate limits. */
    public List<Policy> list() {
        return List.copyOf(byName.values());
    }

    @Override
    public Iterator<Policy> iterator() {
        return byName.values().iterator();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Policies that
                && list().equals(that.list())
                && inFlight().equals(that.inFlight());
    }

    @Override
    public int hashCode() {
        return 31 * list().hashCode() + inFlight().hashCode();
    }

    @Override
    public String toString() {
        List<Object> all = new ArrayList<>(byName.values());
        all.addAll(inFlight.values());
        return all.toString();
    }
}

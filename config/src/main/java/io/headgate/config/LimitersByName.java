package io.headgate.config;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The limiters of one kind for one version of the policies, and those of removed policies. Immutable.
 *
 * @param current the limiters of the policies in force, by the name of the policy
 * @param removed the limiters of removed policies, by the name of the policy; the policy that was removed first is the first
 */
record LimitersByName<L>(Map<String, L> current, Map<String, L> removed) {

    static <L> LimitersByName<L> none() {
        return new LimitersByName<>(Map.of(), Map.of());
    }

    Optional<L> find(String name) {
        return Optional.ofNullable(current.get(name));
    }

    Optional<L> findAlsoRemoved(String name) {
        return find(name).or(() -> Optional.ofNullable(removed.get(name)));
    }

    /**
     * Returns the limiters of the next version. A policy that is added again gets its earlier limiter back.
     *
     * @param policies the policies of the next version by name, each with a function that creates its limiter if there is none
     * @param maxRemoved the number of removed policies to keep
     */
    LimitersByName<L> next(Map<String, Supplier<L>> policies, int maxRemoved) {
        Map<String, L> limiters = new LinkedHashMap<>();
        policies.forEach(
                (name, creator) -> limiters.put(name, findAlsoRemoved(name).orElseGet(creator)));
        Map<String, L> gone = new LinkedHashMap<>(removed);
        gone.putAll(current);
        gone.keySet().removeAll(limiters.keySet());
        int surplus = Math.max(0, gone.size() - maxRemoved);
        gone.keySet().removeAll(gone.keySet().stream().limit(surplus).toList());
        return new LimitersByName<>(limiters, gone);
    }
}

package io.headgate.server.serve;

import io.headgate.config.Policies;
import io.headgate.limits.Health;
import io.headgate.server.cli.Version;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/** What is running and what it has counted so far; shown as JSON at {@code /v1/status} and as the page at {@code /}. */
final class Status {

    private final String store;
    private final Supplier<Health> health;
    private final Supplier<Optional<String>> problem;
    private final Supplier<Policies> policies;
    private final Counts counts;
    private final long startNanos = System.nanoTime();

    /**
     * What is counted from now on.
     *
     * @param store where it counts, in words
     * @param health how that is found
     * @param problem what is wrong with a key there, and what to do
     */
    Status(
            String store,
            Supplier<Health> health,
            Supplier<Optional<String>> problem,
            Supplier<Policies> policies,
            Counts counts) {
        this.store = store;
        this.health = health;
        this.problem = problem;
        this.policies = policies;
        this.counts = counts;
    }

    String store() {
        return store;
    }

    /** How the engine finds its store, in one word. */
    String health() {
        return health.get().name().toLowerCase(Locale.ROOT);
    }

    List<ShownPolicy> policies() {
        return ShownPolicy.of(policies.get());
    }

    Counts counts() {
        return counts;
    }

    Duration uptime() {
        return Duration.ofNanos(System.nanoTime() - startNanos);
    }

    /** The members of the JSON object. */
    Map<String, Object> members() {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("version", Version.text());
        members.put("store", store);
        members.put("health", health());
        problem.get().ifPresent(what -> members.put("problem", what));
        members.put("uptimeSeconds", uptime().toSeconds());
        members.put("policies", policies().stream().map(this::members).toList());
        return members;
    }

    private Map<String, Object> members(ShownPolicy policy) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("policy", policy.name());
        members.put("allowed", counts.allowed(policy.name()));
        members.put("denied", counts.denied(policy.name()));
        members.put("byFallback", counts.byFallback(policy.name()));
        members.put("failed", counts.failures(policy.name()));
        members.put(
                "rules",
                policy.rules().stream().map(rule -> members(policy, rule)).toList());
        return members;
    }

    private Map<String, Object> members(ShownPolicy policy, ShownPolicy.ShownRule rule) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("rule", rule.name());
        members.put("admits", rule.admits());
        members.put("dimensions", rule.dimensions());
        members.put(rule.shadow() ? "deniedInShadow" : "denied", counts.denied(policy.name(), rule.name()));
        return members;
    }
}

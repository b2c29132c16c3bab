package io.headgate.server.serve;

import io.headgate.config.sources.PolicyStatus;
import io.headgate.server.cli.Version;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The store, its health and the counts since the start; as JSON at {@code /v1/status} and as the page at {@code /}. */
final class Status {

    private final Engine engine;
    private final ServedPolicies policies;
    private final Counts counts;
    private final long startNanos = System.nanoTime();

    /** Starts the uptime now. */
    Status(Engine engine, ServedPolicies policies, Counts counts) {
        this.engine = engine;
        this.policies = policies;
        this.counts = counts;
    }

    /** Describes the store, without any password. */
    String store() {
        return engine.description();
    }

    /** The health of each engine of the store, by {@code limits} and, with Redis, {@code queues}. */
    Map<String, String> health() {
        return engine.healthByName();
    }

    /** The health of each engine in one line, such as {@code limits: healthy, queues: unavailable}. */
    String healthText() {
        return engine.healthText();
    }

    List<PolicyView> policies() {
        return PolicyView.of(policies.current());
    }

    /** The version of the policies in force, and the latest one if it was rejected; empty if they cannot change. */
    Optional<PolicyStatus> policyStatus() {
        return policies.status().get();
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
        members.put("store", store());
        members.put("health", health());
        engine.problem().get().ifPresent(what -> members.put("problem", what));
        members.put("uptimeSeconds", uptime().toSeconds());
        policyStatus().ifPresent(status -> members.put("policyVersion", members(status)));
        members.put("policies", policies().stream().map(this::members).toList());
        return members;
    }

    private static Map<String, Object> members(PolicyStatus status) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("version", status.version());
        members.put("since", status.since().toString());
        status.rejected().ifPresent(rejection -> {
            Map<String, Object> rejected = new LinkedHashMap<>();
            rejection.version().ifPresent(version -> rejected.put("version", version));
            rejected.put("at", rejection.at().toString());
            rejected.put("reason", rejection.reason());
            rejected.put("summary", rejection.toString());
            members.put("rejected", rejected);
        });
        return members;
    }

    private Map<String, Object> members(PolicyView policy) {
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

    private Map<String, Object> members(PolicyView policy, PolicyView.RuleView rule) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("rule", rule.name());
        members.put("admits", rule.admits());
        members.put("dimensions", rule.dimensions());
        members.put(rule.shadow() ? "deniedInShadow" : "denied", counts.denied(policy.name(), rule.name()));
        return members;
    }
}

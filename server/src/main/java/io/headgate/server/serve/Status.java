package io.headgate.server.serve;

import io.headgate.limits.Policy;
import io.headgate.limits.Rule;
import io.headgate.server.cli.Version;
import io.headgate.server.limits.LimitWords;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What is running and what it has counted so far; shown as JSON at {@code /v1/status} and as the page at {@code /}. */
final class Status {

    private final String engine;
    private final List<Policy> policies;
    private final Counts counts;
    private final long startNanos = System.nanoTime();

    Status(String engine, List<Policy> policies, Counts counts) {
        this.engine = engine;
        this.policies = policies;
        this.counts = counts;
    }

    String engine() {
        return engine;
    }

    List<Policy> policies() {
        return policies;
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
        members.put("engine", engine);
        members.put("uptimeSeconds", uptime().toSeconds());
        members.put("policies", policies.stream().map(this::members).toList());
        return members;
    }

    private Map<String, Object> members(Policy policy) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("policy", policy.name());
        members.put("allowed", counts.allowed(policy));
        members.put("denied", counts.denied(policy));
        members.put("failed", counts.failed(policy));
        members.put(
                "rules",
                policy.rules().stream().map(rule -> members(policy, rule)).toList());
        return members;
    }

    private Map<String, Object> members(Policy policy, Rule rule) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("rule", rule.name());
        members.put("admits", LimitWords.of(rule));
        members.put("dimensions", rule.dimensions());
        members.put(rule.shadow() ? "deniedInShadow" : "denied", counts.denied(policy, rule));
        return members;
    }
}

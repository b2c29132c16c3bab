package io.headgate.server.plan;

import io.headgate.redis.capacity.CapacityPlan;
import io.headgate.redis.capacity.InFlightCapacity;
import io.headgate.redis.capacity.RequestIdCapacity;
import io.headgate.redis.capacity.RuleCapacity;
import io.headgate.server.text.Words;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/** A plan as a table of its rules, a sum, the assumptions and a summary; or as JSON. */
final class PlanTable {

    private final CapacityPlan plan;
    private final String activeShare;
    private final PlannedMemory memory;

    /**
     * The table of a plan.
     *
     * @param activeShare the share of ids that send requests, as the command line has it
     * @param memory the assumption about the memory allocator
     */
    PlanTable(CapacityPlan plan, String activeShare, PlannedMemory memory) {
        this.memory = memory;
        this.plan = plan;
        this.activeShare = activeShare;
    }

    List<String> lines() {
        List<String> lines = new ArrayList<>();
        lines.add(row("rule", "admits", "keys", "on average", "memory", "on average", "commands/s", "in/s", "out/s"));
        plan.rules().forEach(rule -> lines.add(row(rule)));
        for (RequestIdCapacity ids : plan.requestIds()) {
            lines.add(row(
                    ids.policy() + ", request ids",
                    "",
                    Words.number(ids.keys()),
                    Words.number(ids.keys()),
                    Words.bytes(ids.bytes()),
                    Words.bytes(ids.bytes()),
                    Words.number(ids.commandsPerSecond()),
                    Words.bytes(ids.bytesInPerSecond()),
                    Words.bytes(ids.bytesOutPerSecond())));
        }
        plan.inFlight().forEach(policy -> policy.rules().forEach(rule -> lines.add(row(rule))));
        // What no single rule or request id causes: the tables of Redis's dictionaries, and the rest of the calls.
        lines.add(row(
                "tables, calls",
                "",
                "",
                "",
                Words.bytes(plan.peakTableBytes()),
                Words.bytes(plan.averageTableBytes()),
                Words.number(plan.commandsPerSecond()
                        - sum(RuleCapacity::commandsPerSecond, RequestIdCapacity::commandsPerSecond)),
                Words.bytes(plan.bytesInPerSecond()
                        - sum(RuleCapacity::bytesInPerSecond, RequestIdCapacity::bytesInPerSecond)),
                Words.bytes(plan.bytesOutPerSecond()
                        - sum(RuleCapacity::bytesOutPerSecond, RequestIdCapacity::bytesOutPerSecond))));
        lines.add(row(
                "all",
                "",
                Words.number(plan.peakKeys()),
                Words.number(plan.averageKeys()),
                Words.bytes(plan.peakBytes()),
                Words.bytes(plan.averageBytes()),
                Words.number(plan.commandsPerSecond()),
                Words.bytes(plan.bytesInPerSecond()),
                Words.bytes(plan.bytesOutPerSecond())));
        if (!plan.inFlight().isEmpty()) {
            lines.add("");
            plan.inFlight().forEach(policy -> lines.add(holds(policy)));
        }
        lines.add("");
        lines.add("Assumptions:");
        assumptions().forEach(text -> lines.add("- " + text));
        lines.add("");
        lines.add(summary());
        return lines;
    }

    private static String row(RuleCapacity rule) {
        return row(
                rule.policy() + "/" + rule.rule(),
                Math.round(100 * rule.admittedShare()) + " %",
                Words.number(rule.peakKeys()),
                Words.number(rule.averageKeys()),
                Words.bytes(rule.peakBytes()),
                Words.bytes(rule.averageBytes()),
                Words.number(rule.commandsPerSecond()),
                Words.bytes(rule.bytesInPerSecond()),
                Words.bytes(rule.bytesOutPerSecond()));
    }

    private static String holds(InFlightCapacity policy) {
        return String.format(
                Locale.ROOT,
                "%s: on average %s permits are held and %.1f %% of the requests denied; each second %s takes, %s releases, and %s calls that renew %s holds.",
                policy.policy(),
                Words.number(policy.heldPermits()),
                100 * (1 - policy.admittedShare()),
                Words.number(policy.acquiresPerSecond()),
                Words.number(policy.releasesPerSecond()),
                Words.number(policy.renewingCallsPerSecond()),
                Words.number(policy.renewalsPerSecond()));
    }

    private List<String> assumptions() {
        List<String> assumptions = new ArrayList<>(List.of(
                "each policy receives the given rate of requests, for one permit each",
                (Double.parseDouble(activeShare.replace("_", "")) == 1 ? "all" : activeShare + " of the")
                        + " ids send requests, equally often, at random times",
                "keys and memory at the peak: every id has a key and a full window; on average: at this rate",
                memory.assumption(plan.quantumBytes()),
                "add 50 % to maxmemory for connections, scripts, replication and fragmentation",
                "no refunds, peeks or resets; bytes of Redis's protocol, without TCP and TLS"));
        if (!plan.inFlight().isEmpty()) {
            assumptions.add(
                    "holds: at the peak all permits are taken; each is held for a random time and released; denied clients do not retry");
        }
        return assumptions;
    }

    private String summary() {
        return String.format(
                Locale.ROOT,
                "At most %s keys and %s; on average %s and %s; each second %s round trips, %s commands, %s in, %s out.",
                Words.number(plan.peakKeys()),
                Words.bytes(plan.peakBytes()),
                Words.number(plan.averageKeys()),
                Words.bytes(plan.averageBytes()),
                Words.number(plan.roundTripsPerSecond()),
                Words.number(plan.commandsPerSecond()),
                Words.bytes(plan.bytesInPerSecond()),
                Words.bytes(plan.bytesOutPerSecond()));
    }

    private double sum(ToDoubleFunction<RuleCapacity> ofRules, ToDoubleFunction<RequestIdCapacity> ofRequestIds) {
        return Stream.concat(plan.rules().stream(), plan.inFlight().stream().flatMap(policy -> policy.rules().stream()))
                        .mapToDouble(ofRules)
                        .sum()
                + plan.requestIds().stream().mapToDouble(ofRequestIds).sum();
    }

    private static String row(Object... cells) {
        return String.format(Locale.ROOT, "%-22s %6s %12s %12s %9s %10s %10s %9s %9s", cells);
    }

    Map<String, Object> json() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("rules", plan.rules().stream().map(PlanTable::json).toList());
        if (!plan.requestIds().isEmpty()) {
            json.put(
                    "requestIds",
                    plan.requestIds().stream().map(PlanTable::json).toList());
        }
        if (!plan.inFlight().isEmpty()) {
            json.put("inFlight", plan.inFlight().stream().map(PlanTable::json).toList());
        }
        json.put("peakKeys", plan.peakKeys());
        json.put("peakBytes", plan.peakBytes());
        json.put("averageKeys", Math.round(plan.averageKeys()));
        json.put("averageBytes", Math.round(plan.averageBytes()));
        json.put("quantumBytes", plan.quantumBytes());
        json.put("roundTripsPerSecond", plan.roundTripsPerSecond());
        json.put("commandsPerSecond", Math.round(plan.commandsPerSecond()));
        json.put("bytesInPerSecond", Math.round(plan.bytesInPerSecond()));
        json.put("bytesOutPerSecond", Math.round(plan.bytesOutPerSecond()));
        json.put("assumptions", assumptions());
        return json;
    }

    private static Map<String, Object> json(InFlightCapacity policy) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("policy", policy.policy());
        json.put("admittedShare", policy.admittedShare());
        json.put("heldPermits", policy.heldPermits());
        json.put("acquiresPerSecond", policy.acquiresPerSecond());
        json.put("releasesPerSecond", policy.releasesPerSecond());
        json.put("renewalsPerSecond", policy.renewalsPerSecond());
        json.put("renewingCallsPerSecond", policy.renewingCallsPerSecond());
        json.put("commandsPerSecond", Math.round(policy.commandsPerSecond()));
        json.put("bytesInPerSecond", Math.round(policy.bytesInPerSecond()));
        json.put("bytesOutPerSecond", Math.round(policy.bytesOutPerSecond()));
        json.put("rules", policy.rules().stream().map(PlanTable::json).toList());
        return json;
    }

    private static Map<String, Object> json(RequestIdCapacity ids) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("policy", ids.policy());
        json.put("keys", Math.round(ids.keys()));
        json.put("bytes", Math.round(ids.bytes()));
        json.put("commandsPerSecond", Math.round(ids.commandsPerSecond()));
        json.put("bytesInPerSecond", Math.round(ids.bytesInPerSecond()));
        json.put("bytesOutPerSecond", Math.round(ids.bytesOutPerSecond()));
        return json;
    }

    private static Map<String, Object> json(RuleCapacity rule) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("policy", rule.policy());
        json.put("rule", rule.rule());
        json.put("admittedShare", rule.admittedShare());
        json.put("peakKeys", rule.peakKeys());
        json.put("peakBytes", rule.peakBytes());
        json.put("averageKeys", Math.round(rule.averageKeys()));
        json.put("averageBytes", Math.round(rule.averageBytes()));
        json.put("commandsPerSecond", Math.round(rule.commandsPerSecond()));
        json.put("bytesInPerSecond", Math.round(rule.bytesInPerSecond()));
        json.put("bytesOutPerSecond", Math.round(rule.bytesOutPerSecond()));
        return json;
    }
}

package io.headgate.server.plan;

import io.headgate.redis.capacity.QueueCalls;
import io.headgate.redis.capacity.QueueContent;
import io.headgate.redis.capacity.QueuePlan;
import io.headgate.server.text.Words;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** A plan of a queue as a table of what is stored, a table of the calls, the assumptions and a summary; or as JSON. */
final class QueueTable {

    /** The table omits operations with fewer commands per second. */
    private static final double MIN_COMMANDS_PER_SECOND = 0.05;

    private final QueuePlan plan;
    private final List<String> assumptions;

    QueueTable(QueuePlan plan, List<String> assumptions) {
        this.plan = plan;
        this.assumptions = assumptions;
    }

    List<String> lines() {
        List<String> lines = new ArrayList<>();
        lines.add(contents("stored", "keys", "on average", "entries", "on average", "memory", "on average"));
        for (QueueContent part : plan.contents()) {
            if (part.peakBytes() == 0 && part.averageBytes() == 0) {
                continue;
            }
            lines.add(contents(
                    part.name(),
                    part.peakKeys(),
                    part.averageKeys(),
                    Words.number(part.peakEntries()),
                    Words.number(part.averageEntries()),
                    Words.bytes(part.peakBytes()),
                    Words.bytes(part.averageBytes())));
        }
        lines.add(contents(
                "all",
                plan.peakKeys(),
                plan.averageKeys(),
                "",
                "",
                Words.bytes(plan.peakBytes()),
                Words.bytes(plan.averageBytes())));
        lines.add("");
        lines.add(calls("operation", "calls/s", "commands/s", "in/s", "out/s"));
        plan.calls().stream()
                .filter(operation -> operation.commandsPerSecond() >= MIN_COMMANDS_PER_SECOND)
                .forEach(operation -> lines.add(calls(operation)));
        lines.add(calls(all()));
        lines.add("");
        lines.add("Assumptions:");
        assumptions.forEach(text -> lines.add("- " + text));
        lines.add("");
        lines.add(summary());
        return lines;
    }

    private QueueCalls all() {
        return new QueueCalls(
                "all",
                plan.roundTripsPerSecond(),
                plan.commandsPerSecond(),
                plan.bytesInPerSecond(),
                plan.bytesOutPerSecond());
    }

    private static String contents(Object... cells) {
        return String.format(Locale.ROOT, "%-15s %5s %11s %12s %11s %10s %11s", cells);
    }

    private static String calls(QueueCalls operation) {
        return calls(
                operation.name(),
                Words.number(operation.roundTripsPerSecond()),
                Words.number(operation.commandsPerSecond()),
                Words.bytes(operation.bytesInPerSecond()),
                Words.bytes(operation.bytesOutPerSecond()));
    }

    private static String calls(Object... cells) {
        return String.format(Locale.ROOT, "%-15s %17s %12s %11s %10s", cells);
    }

    private String summary() {
        return String.format(
                Locale.ROOT,
                "At most %d keys and %s; on average %d and %s; each second %s round trips, %s commands, %s in, %s out.",
                plan.peakKeys(),
                Words.bytes(plan.peakBytes()),
                plan.averageKeys(),
                Words.bytes(plan.averageBytes()),
                Words.number(plan.roundTripsPerSecond()),
                Words.number(plan.commandsPerSecond()),
                Words.bytes(plan.bytesInPerSecond()),
                Words.bytes(plan.bytesOutPerSecond()));
    }

    Map<String, Object> json() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("stored", plan.contents().stream().map(QueueTable::json).toList());
        json.put("calls", plan.calls().stream().map(QueueTable::json).toList());
        json.put("peakKeys", plan.peakKeys());
        json.put("peakBytes", Math.round(plan.peakBytes()));
        json.put("averageKeys", plan.averageKeys());
        json.put("averageBytes", Math.round(plan.averageBytes()));
        json.put("quantumBytes", plan.quantumBytes());
        json.put("jobsPerClaim", plan.jobsOfAClaim());
        json.put("deadLettersPerSecond", plan.deadLettersPerSecond());
        putCalls(json, all());
        json.put("assumptions", assumptions);
        return json;
    }

    private static Map<String, Object> json(QueueContent part) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("name", part.name());
        json.put("peakKeys", part.peakKeys());
        json.put("peakEntries", Math.round(part.peakEntries()));
        json.put("peakBytes", Math.round(part.peakBytes()));
        json.put("averageKeys", part.averageKeys());
        json.put("averageEntries", part.averageEntries());
        json.put("averageBytes", Math.round(part.averageBytes()));
        return json;
    }

    private static Map<String, Object> json(QueueCalls operation) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("name", operation.name());
        putCalls(json, operation);
        return json;
    }

    private static void putCalls(Map<String, Object> json, QueueCalls operation) {
        json.put("roundTripsPerSecond", operation.roundTripsPerSecond());
        json.put("commandsPerSecond", operation.commandsPerSecond());
        json.put("bytesInPerSecond", operation.bytesInPerSecond());
        json.put("bytesOutPerSecond", operation.bytesOutPerSecond());
    }
}

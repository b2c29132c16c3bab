package io.headgate.server.demo;

import io.headgate.limits.Policy;
import io.headgate.limits.Rule;
import io.headgate.server.serve.Counts;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The output of the demo: the requests and results of each client, the denials of each rule, and latencies. */
final class DemoTable {

    private final List<DemoClient> clients;
    private final Policy policy;
    private final Counts counts;
    private final Latencies latencies;

    DemoTable(List<DemoClient> clients, Policy policy, Counts counts, Latencies latencies) {
        this.clients = clients;
        this.policy = policy;
        this.counts = counts;
        this.latencies = latencies;
    }

    /** The whole table. */
    List<String> lines() {
        return Stream.of(
                        Stream.of(row("client", "user", "address", "req/s", "sent", "allowed", "denied")),
                        clients.stream().map(DemoTable::row),
                        Stream.of(totalRow(), "", "  " + byRule(), "  " + speed()))
                .flatMap(lines -> lines)
                .toList();
    }

    /** The counts in one line, for output that is not a terminal. */
    String line() {
        return "requests %d, allowed %d, denied %d; %s"
                .formatted(total(c -> c.sent.sum()), allowed(), denied(), byRule());
    }

    /** The counts and latencies in one line, for the end of the demo. */
    String summary() {
        return line() + "; " + speed();
    }

    private static String row(DemoClient client) {
        return row(
                client.name,
                client.user,
                client.ip,
                Integer.toString(client.requestsPerSecond),
                Long.toString(client.sent.sum()),
                Long.toString(client.allowed.sum()),
                Long.toString(client.denied.sum()));
    }

    private String totalRow() {
        return row(
                "all",
                "",
                "",
                Integer.toString(clients.stream()
                        .mapToInt(client -> client.requestsPerSecond)
                        .sum()),
                Long.toString(total(client -> client.sent.sum())),
                Long.toString(allowed()),
                Long.toString(denied()));
    }

    private static String row(Object... cells) {
        return String.format(Locale.ROOT, "  %-18s %-8s %-13s %7s %8s %8s %8s", cells);
    }

    private long allowed() {
        return total(client -> client.allowed.sum());
    }

    private long denied() {
        return total(client -> client.denied.sum());
    }

    private long total(ToLongFunction<DemoClient> count) {
        return clients.stream().mapToLong(count).sum();
    }

    private String byRule() {
        String rules = policy.rules().stream().map(this::deniedBy).collect(Collectors.joining(", "));
        long failed = total(client -> client.failed.sum());
        return "denied by rule: " + rules + (failed == 0 ? "" : "; failed: " + failed);
    }

    private String deniedBy(Rule rule) {
        return rule.name() + " " + counts.denied(policy.name(), rule.name());
    }

    private String speed() {
        return "a check took " + millis(latencies.percentile(50)) + " at the median, "
                + millis(latencies.percentile(99)) + " at the 99th percentile";
    }

    private static String millis(Duration time) {
        return String.format(Locale.ROOT, "%.1f ms", time.toNanos() / 1e6);
    }
}

package io.headgate.server;

import io.headgate.limits.Policy;
import java.io.PrintWriter;
import java.net.URI;
import java.time.Duration;
import java.util.List;

/** Lets the clients of the demo ask for a while, shows what they get, and says what to try next. */
final class DemoShow {

    /** Set by the launcher: whether what is printed goes to a terminal, where a table can be redrawn. */
    static final String TERMINAL_PROPERTY = "headgate.terminal";

    private static final Duration REDRAW = Duration.ofMillis(250);
    private static final Duration LINE = Duration.ofSeconds(3);

    private final PrintWriter out;
    private final StopSignal stop;
    private final URI server;
    private final Policy policy;
    private final Counts counts;
    private final boolean terminal = Boolean.getBoolean(TERMINAL_PROPERTY);

    DemoShow(PrintWriter out, StopSignal stop, URI server, Policy policy, Counts counts) {
        this.out = out;
        this.stop = stop;
        this.server = server;
        this.policy = policy;
        this.counts = counts;
    }

    /** Runs the traffic for that long; answers whether the process was told to stop meanwhile. */
    boolean run(Duration length) throws InterruptedException {
        List<DemoClient> clients = DemoClient.all();
        URI check = URI.create(server + "/check/" + policy.name());
        try (DemoTraffic traffic = DemoTraffic.start(clients, check)) {
            DemoTable table = new DemoTable(clients, policy, counts, traffic.latencies());
            out.println("six clients ask for " + length.toSeconds() + " seconds:");
            boolean told = watch(table, length);
            traffic.stop();
            show(table, true);
            out.println();
            out.println("summary: " + table.summary());
            out.flush();
            return told;
        }
    }

    private boolean watch(DemoTable table, Duration length) throws InterruptedException {
        long endNanos = System.nanoTime() + length.toNanos();
        Duration pause = terminal ? REDRAW : LINE;
        if (terminal) {
            table.lines().forEach(out::println);
        }
        while (true) {
            Duration left = Duration.ofNanos(endNanos - System.nanoTime());
            if (left.isNegative() || left.isZero()) {
                return false;
            }
            if (stop.await(left.compareTo(pause) < 0 ? left : pause)) {
                return true;
            }
            show(table, false);
        }
    }

    /** On a terminal the table is drawn over the one before; elsewhere it comes once, at the end. */
    private void show(DemoTable table, boolean last) {
        if (terminal) {
            List<String> lines = table.lines();
            out.print("\u001b[" + lines.size() + "A");
            lines.forEach(line -> out.println("\u001b[2K" + line));
        } else if (last) {
            table.lines().forEach(out::println);
        } else {
            out.println("  " + table.line());
        }
        out.flush();
    }

    /** Says how to go on by hand, and when it ends. */
    void sayWhatToTry(String end) {
        out.println();
        out.println("The traffic has ended; the server goes on. Try:");
        out.println("  " + Curl.check(server, policy));
        out.println("  " + Curl.json(server, policy));
        out.println(end);
        out.flush();
    }
}

package io.headgate.server.demo;

import io.headgate.limits.Policy;
import io.headgate.server.cli.StopSignal;
import io.headgate.server.serve.Counts;
import io.headgate.server.serve.Curl;
import java.io.PrintWriter;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Runs the traffic and the jobs of the demo for a time, shows the results, and prints what to try next. */
final class DemoShow {

    /** Set by the launcher if the output is a terminal, on which a table can be redrawn. */
    static final String TERMINAL_PROPERTY = "headgate.terminal";

    private static final Duration REDRAW_INTERVAL = Duration.ofMillis(250);
    private static final Duration LINE_INTERVAL = Duration.ofSeconds(3);

    private final PrintWriter out;
    private final StopSignal stop;
    private final URI server;
    private final Policy policy;
    private final Counts counts;
    private final DemoJobs jobs;
    private final boolean terminal = Boolean.getBoolean(TERMINAL_PROPERTY);

    DemoShow(PrintWriter out, StopSignal stop, URI server, Policy policy, Counts counts, DemoJobs jobs) {
        this.out = out;
        this.stop = stop;
        this.server = server;
        this.policy = policy;
        this.counts = counts;
        this.jobs = jobs;
    }

    /** Runs the traffic for the given time; returns whether a signal ended it earlier. */
    boolean run(Duration length) throws InterruptedException {
        List<DemoClient> clients = DemoClient.all();
        URI check = URI.create(server + "/check/" + policy.name());
        try (DemoTraffic traffic = DemoTraffic.start(clients, check)) {
            DemoTable table = new DemoTable(clients, policy, counts, traffic.latencies());
            jobs.begin();
            out.println("six clients send checks for " + length.toSeconds() + " seconds, and " + DemoJobs.PER_SECOND
                    + " jobs a second go through a queue:");
            boolean stopped = watch(table, length);
            traffic.stop();
            jobs.end();
            show(table, true);
            out.println();
            out.println("summary: " + table.summary());
            out.println("queue:   " + jobs.counts().summary());
            out.flush();
            return stopped;
        }
    }

    private boolean watch(DemoTable table, Duration length) throws InterruptedException {
        long endNanos = System.nanoTime() + length.toNanos();
        Duration pause = terminal ? REDRAW_INTERVAL : LINE_INTERVAL;
        if (terminal) {
            lines(table).forEach(out::println);
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

    /** Draws the table over the previous one on a terminal; otherwise prints the counts in lines, and the table only at the end. */
    private void show(DemoTable table, boolean last) {
        if (terminal) {
            List<String> lines = lines(table);
            out.print("\u001b[" + lines.size() + "A"); // moves the cursor to the first line; below, 2K clears each
            lines.forEach(line -> out.println("\u001b[2K" + line));
        } else if (last) {
            lines(table).forEach(out::println);
        } else {
            out.println("  " + table.line());
            out.println("  " + jobs.counts().line());
        }
        out.flush();
    }

    private List<String> lines(DemoTable table) {
        List<String> lines = new ArrayList<>(table.lines());
        lines.add("");
        lines.addAll(jobs.counts().lines());
        return lines;
    }

    /** Prints commands to try, and when the demo ends. */
    void printWhatToTry(String redis, String end) {
        String of = " --redis " + redis;
        out.println();
        out.println("The traffic has ended; the server and the worker continue. Try:");
        out.println("  " + Curl.check(server, policy));
        out.println("  " + Curl.json(server, policy));
        out.println("  ./headgate queue ls" + of);
        out.println("  ./headgate queue show " + DemoJobs.QUEUE + of);
        out.println("  ./headgate queue peek " + DemoJobs.QUEUE + " --state dead" + of);
        out.println("  ./headgate queue redrive " + DemoJobs.QUEUE + " --all" + of
                + "   # the cause of their failures is gone");
        out.println("  ./headgate queue peek " + DemoJobs.QUEUE + " --state done" + of);
        out.println(end);
        out.flush();
    }
}

package io.headgate.server;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The command line in a JVM of its own, started without the launcher and its options, and without the HEADGATE_ variables of this
 * process that would change its behaviour.
 */
public final class ServerProcess implements AutoCloseable {

    /** Options of a short-lived JVM: quick compilation, and a serial collector. */
    public static final List<String> SHORT_LIVED =
            List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-XX:-UsePerfData");

    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private final Process process;
    private final Thread reader = new Thread(this::read, "server-process-output");
    private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
    private final List<String> seen = new ArrayList<>();

    private ServerProcess(Process process) {
        this.process = process;
        reader.setDaemon(true);
        reader.start();
    }

    public static ServerProcess start(String... arguments) throws IOException {
        return start(List.of(), Map.of(), arguments);
    }

    /** Starts the command line with options of the JVM, and with additional variables. */
    public static ServerProcess start(List<String> jvmOptions, Map<String, String> environment, String... arguments)
            throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(SHORT_LIVED);
        command.add("-Djava.io.tmpdir=" + System.getProperty("java.io.tmpdir"));
        command.addAll(jvmOptions);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), Main.class.getName()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().remove("HEADGATE_REDIS");
        builder.environment().remove("HEADGATE_ETCD");
        builder.environment().remove("HEADGATE_CONSUL");
        builder.environment().remove("CONSUL_HTTP_ADDR");
        builder.environment().remove("CONSUL_HTTP_TOKEN");
        builder.environment().remove("HEADGATE_REFUND_TOKEN");
        builder.environment().remove("HEADGATE_OPERATOR_TOKEN");
        builder.environment().remove("HEADGATE_AUDIT_LOG");
        builder.environment().putAll(environment);
        return new ServerProcess(builder.start());
    }

    private void read() {
        try (BufferedReader reader = process.inputReader(StandardCharsets.UTF_8)) {
            reader.lines().forEach(lines::add);
        } catch (IOException | UncheckedIOException e) {
            lines.add("reading its output failed: " + e);
        }
    }

    /**
     * Waits up to a minute for a line that contains the pattern, among those that neither an earlier call nor {@link #output} has read.
     * Returns the first group, or the line if the pattern has none.
     */
    public String awaitLine(String pattern) throws InterruptedException {
        Pattern wanted = Pattern.compile(pattern);
        long endNanos = System.nanoTime() + TIMEOUT.toNanos();
        while (true) {
            String line = lines.poll(endNanos - System.nanoTime(), TimeUnit.NANOSECONDS);
            if (line == null) {
                throw new AssertionError("no line matched " + pattern + " in " + seen);
            }
            seen.add(line);
            Matcher matcher = wanted.matcher(line);
            if (matcher.find()) {
                return matcher.groupCount() == 0 ? line : matcher.group(1);
            }
        }
    }

    /** Like {@link #awaitLine}, for several patterns whose lines may come in any order. */
    public void awaitLines(String... patterns) throws InterruptedException {
        List<String> missing = new ArrayList<>(List.of(patterns));
        while (!missing.isEmpty()) {
            String line = awaitLine("(^.*(?:" + String.join("|", missing) + ").*$)");
            missing.removeIf(pattern -> Pattern.compile(pattern).matcher(line).find());
        }
    }

    /** Sends SIGTERM. The output can still be read, unlike after Process.destroy(). */
    public void terminate() {
        process.toHandle().destroy();
    }

    public long pid() {
        return process.pid();
    }

    /** Waits for the end of the process, and returns its exit code. */
    public int awaitExit() throws InterruptedException {
        if (!process.waitFor(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)) {
            throw new AssertionError("the process still runs; its output: " + output());
        }
        reader.join(TIMEOUT.toMillis());
        return process.exitValue();
    }

    /** The lines that it has printed so far; after {@link #awaitExit}, all of them. */
    public List<String> output() {
        lines.drainTo(seen);
        return List.copyOf(seen);
    }

    @Override
    public void close() {
        process.destroyForcibly(); // A Redis that it has started is killed by the Reaper of the test kit.
    }
}

package io.headgate.bench.hostile;

import io.headgate.testkit.hostile.ProcessMemory;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A server with limits in memory, which the launcher starts in a process of its own with a heap of 256 MB. */
final class ServerUnderAttack implements AutoCloseable {

    /** The path of the launcher, which sets this property. */
    private static final String LAUNCHER_PROPERTY = "headgate.launcher";

    private static final Pattern LISTENS = Pattern.compile("listening on http://127\\.0\\.0\\.1:(\\d+)");
    private static final String POLICIES =
            "policies: {api: {rules: {per-user: {by: user, fixed-window: {permits: 1000000000, window: 1h}}}}}";
    private static final Duration START_TIME = Duration.ofMinutes(1);
    private static final int STOP_SECONDS = 30;

    private final Process process;
    private final Path policies;
    private final InetSocketAddress address;

    private ServerUnderAttack(Process process, Path policies, int port) {
        this.process = process;
        this.policies = policies;
        this.address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    static ServerUnderAttack start() {
        String launcher = System.getProperty(LAUNCHER_PROPERTY);
        if (launcher == null) {
            throw new IllegalStateException("start the benchmark with ./headgate, which it needs to start a server");
        }
        return start(launcher, START_TIME);
    }

    /** Starts a server by this launcher. It must listen within this time. */
    static ServerUnderAttack start(String launcher, Duration startTime) {
        try {
            Path policies = Files.createTempFile("headgate-hostile", ".yaml");
            try {
                Files.writeString(policies, POLICIES);
                return started(launcher, policies, startTime);
            } catch (IOException e) {
                Files.deleteIfExists(policies);
                throw e;
            }
        } catch (IOException e) {
            throw new UncheckedIOException("can't start a server", e);
        }
    }

    private static ServerUnderAttack started(String launcher, Path policies, Duration startTime) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(
                        launcher, "serve", "--policies", policies.toString(), "--port", "0", "--drain-delay", "0ms")
                .redirectErrorStream(true);
        builder.environment().put("HEADGATE_JAVA_OPTIONS", "-Xms256m -Xmx256m -XX:+AlwaysPreTouch");
        builder.environment().remove("HEADGATE_REDIS");
        Process process = builder.start();
        // The end of the process ends the wait for its output.
        CompletableFuture<Void> tooLate = CompletableFuture.runAsync(
                process::destroyForcibly, CompletableFuture.delayedExecutor(startTime.toNanos(), TimeUnit.NANOSECONDS));
        try {
            return new ServerUnderAttack(process, policies, port(process));
        } catch (IOException e) {
            stop(process);
            throw e;
        } finally {
            tooLate.cancel(false);
        }
    }

    /** Stops a process, forcibly if it does not end in time or the thread is interrupted. */
    private static void stop(Process process) {
        process.destroy();
        try {
            if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }

    /** Reads the port from the log of the server. A thread reads the rest of the log, so that the server never blocks on its output. */
    @SuppressWarnings("resource") // the thread reads until the process ends
    private static int port(Process process) throws IOException {
        BufferedReader lines = process.inputReader(StandardCharsets.UTF_8);
        StringBuilder seen = new StringBuilder();
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            seen.append(line).append('\n');
            Matcher listens = LISTENS.matcher(line);
            if (listens.find()) {
                Thread rest = new Thread(() -> skip(lines), "server-output");
                rest.setDaemon(true);
                rest.start();
                return Integer.parseInt(listens.group(1));
            }
        }
        throw new IOException("the server did not start: " + seen);
    }

    private static void skip(BufferedReader lines) {
        try {
            while (lines.readLine() != null) {
                // The log of the server is not part of the report.
            }
        } catch (IOException e) {
            // The process has ended.
        }
    }

    InetSocketAddress address() {
        return address;
    }

    ProcessMemory memory() {
        return ProcessMemory.of(process.pid());
    }

    @Override
    public void close() {
        stop(process);
        try {
            Files.deleteIfExists(policies);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

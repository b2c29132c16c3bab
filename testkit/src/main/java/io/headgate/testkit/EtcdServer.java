package io.headgate.testkit;

import io.headgate.testkit.conditions.Requirement;
import io.headgate.testkit.internal.LoopbackPorts;
import io.headgate.testkit.internal.ManagedProcess;
import io.headgate.testkit.internal.Processes;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A real etcd for tests, on 127.0.0.1 only, of one node. The program {@code etcd} must be on the PATH; annotate tests with
 * {@code @Requires(Requirement.ETCD)}.
 *
 * <pre>{@code
 * try (EtcdServer etcd = EtcdServer.start()) {
 *     connect(etcd.url());
 * }
 * }</pre>
 *
 * <p>It has a temporary folder. Closing it, and the end of the JVM, kill it and delete the folder, even if the JVM is killed. The methods
 * that kill, pause and restart are for one thread at a time.
 */
public final class EtcdServer implements AutoCloseable {

    private static final Duration READY_TIMEOUT = Duration.ofSeconds(30);
    private static final Duration RESTART_TIMEOUT = Duration.ofSeconds(10);
    private static final Duration POLL_INTERVAL = Duration.ofMillis(20);
    private static final int HTTP_TIMEOUT_MILLIS = 2_000;
    private static final int HTTP_OK = 200;
    private static final int PORTS_TRIED = 5;
    private static final int LOG_LINES_SHOWN = 30;

    private final Path program;
    private final String scheme;
    private final List<String> extraArguments;
    private final RedisFolder folder;
    private final ManagedProcess managed;
    private Ports ports;
    private Process process;

    /**
     * The ports of an etcd.
     *
     * @param health without TLS, also if clients need it
     */
    private record Ports(int clients, int peers, int health) {

        static Ports free() {
            return new Ports(LoopbackPorts.free(), LoopbackPorts.free(), LoopbackPorts.free());
        }
    }

    private EtcdServer(Path program, String scheme, List<String> extraArguments) {
        this.program = program;
        this.scheme = scheme;
        this.extraArguments = extraArguments;
        this.folder = RedisFolder.create();
        this.managed = ManagedProcess.open("headgate-test-etcd-cleanup", Optional.of(folder.path()), folder::delete);
        try {
            this.ports = Ports.free();
            this.process = launch();
            awaitReadyOnSomePorts();
        } catch (RuntimeException | Error e) {
            managed.close();
            throw e;
        }
    }

    /**
     * Starts an etcd.
     *
     * @param extraArguments such as {@code "--auth-token-ttl", "1"}
     * @throws IllegalStateException if it does not start; the message has its output
     */
    public static EtcdServer start(String... extraArguments) {
        return new EtcdServer(program(), "http", List.of(extraArguments));
    }

    /**
     * Starts an etcd with TLS.
     *
     * @param server the certificate and the key of the server
     * @param extraArguments such as {@code "--trusted-ca-file", "ca.pem"}, with which clients need a certificate of this authority
     * @throws IllegalStateException if it does not start; the message has its output
     */
    public static EtcdServer startWithTls(TlsFiles.Identity server, String... extraArguments) {
        List<String> arguments = new ArrayList<>(List.of(
                "--cert-file",
                server.certificate().toString(),
                "--key-file",
                server.key().toString()));
        arguments.addAll(List.of(extraArguments));
        return new EtcdServer(program(), "https", arguments);
    }

    private static Path program() {
        return Requirement.program("etcd").orElseThrow(() -> new IllegalStateException(Requirement.ETCD.reason()));
    }

    /** The URL for clients: {@code http://127.0.0.1:port}, or {@code https}. */
    public String url() {
        return url(scheme, ports.clients());
    }

    /** The port of {@link #url()}. */
    public int port() {
        return ports.clients();
    }

    private static String url(String scheme, int port) {
        return scheme + "://127.0.0.1:" + port;
    }

    /** Kills it immediately (SIGKILL). Its files remain. */
    public void kill() {
        Processes.kill(process);
    }

    /** Suspends it immediately (SIGSTOP): connections stay open and receive no answer. */
    public void pause() {
        Processes.pause(process);
    }

    /** Continues it after {@link #pause()} (SIGCONT). */
    public void resume() {
        Processes.resume(process);
    }

    /**
     * Starts it again after {@link #kill()}, on the same ports and with the same files, and returns when it serves. Another process may
     * use a port for a moment, so it tries for a while.
     *
     * @throws IllegalStateException if it does not start
     */
    public void restart() {
        long start = System.nanoTime();
        process = launch();
        Optional<String> problem = awaitReady();
        while (problem.isPresent()) {
            if (!hasUsedPort(problem.get()) || System.nanoTime() - start > RESTART_TIMEOUT.toNanos()) {
                throw new IllegalStateException(problem.get());
            }
            process = launch();
            problem = awaitReady();
        }
    }

    private static boolean hasUsedPort(String problem) {
        return problem.contains("address already in use");
    }

    /** Kills it, and deletes its files. */
    @Override
    public void close() {
        managed.close();
    }

    private Process launch() {
        String peers = url("http", ports.peers());
        List<String> command = new ArrayList<>(List.of(
                program.toString(),
                "--name",
                "test",
                "--data-dir",
                folder.path().resolve("data").toString(),
                "--listen-client-urls",
                url(),
                "--advertise-client-urls",
                url(),
                "--listen-peer-urls",
                peers,
                "--initial-advertise-peer-urls",
                peers,
                "--initial-cluster",
                "test=" + peers,
                "--listen-metrics-urls",
                url("http", ports.health())));
        command.addAll(extraArguments);
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(Redirect.appendTo(log().toFile()));
        // Before version 3.5, etcd refuses to start on 64-bit ARM without this.
        builder.environment().put("ETCD_UNSUPPORTED_ARCH", "arm64");
        try {
            return managed.start(builder);
        } catch (IOException e) {
            throw new IllegalStateException("cannot start " + program + ": " + e.getMessage(), e);
        }
    }

    private void awaitReadyOnSomePorts() {
        for (int attempt = 1; ; attempt++) {
            Optional<String> problem = awaitReady();
            if (problem.isEmpty()) {
                return;
            }
            if (attempt == PORTS_TRIED || !hasUsedPort(problem.get())) {
                throw new IllegalStateException(problem.get());
            }
            ports = Ports.free();
            process = launch();
        }
    }

    /** Waits until it serves, and returns empty; or returns the problem with the last lines of its output. Kills it after a timeout. */
    private Optional<String> awaitReady() {
        long start = System.nanoTime();
        while (System.nanoTime() - start < READY_TIMEOUT.toNanos()) {
            if (Processes.exited(process, POLL_INTERVAL)) {
                return Optional.of(program + " ended during its start with status " + process.exitValue()
                        + " and wrote:" + System.lineSeparator() + lastOutput());
            }
            if (isHealthy()) {
                return Optional.empty();
            }
        }
        kill();
        return Optional.of(program + " did not answer within " + READY_TIMEOUT + " and wrote:" + System.lineSeparator()
                + lastOutput());
    }

    private boolean isHealthy() {
        try {
            HttpURLConnection connection = (HttpURLConnection)
                    URI.create(url("http", ports.health()) + "/health").toURL().openConnection();
            connection.setConnectTimeout(HTTP_TIMEOUT_MILLIS);
            connection.setReadTimeout(HTTP_TIMEOUT_MILLIS);
            return connection.getResponseCode() == HTTP_OK;
        } catch (IOException e) {
            return false;
        }
    }

    private String lastOutput() {
        try {
            List<String> lines = Files.readAllLines(log(), StandardCharsets.ISO_8859_1);
            return String.join(
                    System.lineSeparator(), lines.subList(Math.max(0, lines.size() - LOG_LINES_SHOWN), lines.size()));
        } catch (IOException e) {
            return "(its output cannot be read: " + e.getMessage() + ")";
        }
    }

    private Path log() {
        return folder.path().resolve("etcd.log");
    }
}

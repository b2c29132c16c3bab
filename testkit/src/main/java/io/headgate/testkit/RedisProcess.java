package io.headgate.testkit;

import io.headgate.testkit.internal.ManagedProcess;
import io.headgate.testkit.internal.Processes;
import io.headgate.testkit.internal.RedisUrl;
import io.headgate.testkit.internal.RespConnection;
import io.headgate.testkit.internal.RespReader;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A Redis process that this JVM starts and can restart, with its program, port and folder. */
final class RedisProcess implements AutoCloseable {

    private static final Duration READY_TIMEOUT = Duration.ofSeconds(30);
    private static final Duration POLL_INTERVAL = Duration.ofMillis(5);
    private static final int PORTS_TRIED = 5;
    private static final int LOG_LINES_SHOWN = 30;

    private final RedisBinary binary;
    private final Path folder;
    private final List<String> launcher;
    private final RedisRole role;
    private final ManagedProcess managed;
    private int port;
    private Process process;

    private RedisProcess(
            RedisBinary binary, Path folder, List<String> launcher, RedisRole role, ManagedProcess managed) {
        this.binary = binary;
        this.folder = folder;
        this.launcher = launcher;
        this.role = role;
        this.managed = managed;
        this.port = role.port();
        this.process = launch();
    }

    /** Starts the program that {@link RedisBinary} finds, and returns when it serves. */
    static RedisProcess start(List<String> launcher, RedisRole role) {
        RedisFolder folder = RedisFolder.create();
        ManagedProcess managed =
                ManagedProcess.open("headgate-test-redis-cleanup", Optional.of(folder.path()), folder::delete);
        try {
            RedisProcess redis =
                    new RedisProcess(RedisBinary.find(folder.path()), folder.path(), launcher, role, managed);
            redis.awaitReadyOnSomePort();
            return redis;
        } catch (RuntimeException | Error e) {
            managed.close();
            throw e;
        }
    }

    int port() {
        return port;
    }

    Path folder() {
        return folder;
    }

    String description() {
        return binary.description();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    void kill() {
        Processes.kill(process);
    }

    void pause() {
        Processes.pause(process);
    }

    void resume() {
        Processes.resume(process);
    }

    /** Shuts it down if it still runs, starts it on the same port with the same folder, and returns when it serves. */
    void restart() {
        Processes.resume(process);
        Processes.terminate(process);
        process = launch();
        Optional<String> problem = awaitReady();
        if (problem.isPresent()) {
            throw new IllegalStateException(problem.get());
        }
    }

    /** Restarts the dead process on the same port with the same folder, and does not wait until it serves. */
    void launchAgain(List<String> furtherArguments) {
        process = launch(furtherArguments);
    }

    @Override
    public void close() {
        managed.close();
    }

    private Process launch() {
        return launch(List.of());
    }

    private Process launch(List<String> furtherArguments) {
        List<String> command = new ArrayList<>(launcher);
        command.add(binary.program().toString());
        command.addAll(role.arguments(port, folder));
        command.addAll(furtherArguments);
        try {
            return managed.start(new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(Redirect.appendTo(log().toFile())));
        } catch (IOException e) {
            throw new IllegalStateException("cannot start " + binary.description() + ": " + e.getMessage(), e);
        }
    }

    private void awaitReadyOnSomePort() {
        for (int attempt = 1; ; attempt++) {
            Optional<String> problem = awaitReady();
            if (problem.isEmpty()) {
                return;
            }
            if (attempt == PORTS_TRIED || !problem.get().contains("already in use")) {
                throw new IllegalStateException(problem.get());
            }
            deleteLog();
            port = role.port();
            process = launch();
        }
    }

    /** Waits until it serves, and returns empty; or returns the problem with the last lines of its output. Kills it after a timeout. */
    private Optional<String> awaitReady() {
        long start = System.nanoTime();
        while (System.nanoTime() - start < READY_TIMEOUT.toNanos()) {
            if (Processes.exited(process, POLL_INTERVAL)) {
                return Optional.of(binary.description() + " ended during its start with status " + process.exitValue()
                        + " and wrote:" + System.lineSeparator() + lastOutput());
            }
            if (serves()) {
                return Optional.empty();
            }
        }
        kill();
        return Optional.of(binary.description() + " did not answer within " + READY_TIMEOUT + " and wrote:"
                + System.lineSeparator() + lastOutput());
    }

    /**
     * Whether this process answers and has loaded its data; another process may have taken the port first. If Redis requires a password,
     * only whether a Redis answers at this port.
     */
    private boolean serves() {
        RedisUrl url = new RedisUrl("127.0.0.1", port, List.of(), Optional.empty());
        try (RespConnection connection = RespConnection.open(url, Duration.ofSeconds(2))) {
            Object pong = connection.call("PING");
            if (pong instanceof RespReader.Failure failure) {
                return failure.message().startsWith("NOAUTH");
            }
            return connection.call("INFO", "server") instanceof byte[] info
                    && new String(info, StandardCharsets.UTF_8).contains("process_id:" + process.pid() + "\r\n");
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
        return folder.resolve("redis.log");
    }

    private void deleteLog() {
        try {
            Files.deleteIfExists(log());
        } catch (IOException e) {
            throw new IllegalStateException("cannot delete " + log(), e);
        }
    }
}

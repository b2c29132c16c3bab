package io.headgate.testkit.internal;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/** Kills, pauses and resumes a process and its descendants, and waits until they are dead or paused. */
public final class Processes {

    /** The argument that identifies a process as a {@link Reaper}. */
    static final String REAPER = "headgate-reaper";

    static final Duration TIMEOUT = Duration.ofSeconds(60);

    /** How long a process may take to end after SIGTERM. */
    private static final Duration TERMINATE_TIMEOUT = Duration.ofSeconds(10);

    private static final long POLL_NANOS = Duration.ofMillis(2).toNanos();

    private Processes() {}

    /** Sends SIGKILL, and waits for the end. */
    public static void kill(Process process) {
        List<ProcessHandle> all = withDescendants(process);
        all.forEach(ProcessHandle::destroyForcibly);
        await("the death of process " + process.pid(), () -> all.stream().allMatch(Processes::isGone));
        exited(process, TIMEOUT); // this JVM is notified a little later
    }

    /** Sends SIGTERM to the process, and waits for its end; after a timeout, kills it with its descendants. */
    public static void terminate(Process process) {
        process.destroy();
        if (!exited(process, TERMINATE_TIMEOUT)) {
            kill(process);
        }
    }

    /** Sends SIGSTOP, and waits until it takes effect. */
    public static void pause(Process process) {
        if (!process.isAlive()) {
            throw new IllegalStateException("process " + process.pid() + " has ended and can't be paused");
        }
        for (ProcessHandle one : withDescendants(process)) {
            stop(one);
        }
    }

    /** Stops one process, unless it ends meanwhile, as the child of a Redis does that writes a snapshot. */
    private static void stop(ProcessHandle one) {
        try {
            signal("STOP", one.pid());
        } catch (IllegalStateException e) {
            if (!isGone(one)) {
                throw e;
            }
        }
        await("process " + one.pid() + " to stop", () -> state(one.pid()).startsWith("T") || isGone(one));
    }

    /** Sends SIGCONT. */
    public static void resume(Process process) {
        withDescendants(process).forEach(one -> signal("CONT", one.pid()));
    }

    private static void await(String what, BooleanSupplier condition) {
        long start = System.nanoTime();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - start > TIMEOUT.toNanos()) {
                throw new AssertionError("waited " + TIMEOUT + " in vain for " + what);
            }
            LockSupport.parkNanos(POLL_NANOS);
        }
    }

    /** Waits for the end of the process; returns false after a timeout. */
    public static boolean exited(Process process, Duration atMost) {
        try {
            return process.waitFor(atMost.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting for process " + process.pid(), e);
        }
    }

    /**
     * The living descendants, and then the process itself, which may be a wrapper that cleans up after its child. Reapers are not
     * included: they delete folders and then end.
     */
    private static List<ProcessHandle> withDescendants(Process process) {
        return Stream.concat(process.descendants(), Stream.of(process.toHandle()))
                .filter(ProcessHandle::isAlive)
                .filter(one -> !isReaper(one))
                .toList();
    }

    /** Whether this process is a {@link Reaper}, which ends by itself once the JVM that started it has ended. */
    public static boolean isReaper(ProcessHandle process) {
        return process.info()
                .arguments()
                .filter(arguments -> List.of(arguments).contains(REAPER))
                .isPresent();
    }

    /** Sends a signal, such as {@code TERM}. */
    public static void signal(String signal, long pid) {
        // The kill that is built into the shell: small container images do not have the program.
        String output = run("sh", "-c", "kill -" + signal + " " + pid);
        if (!output.isEmpty()) {
            throw new IllegalStateException("cannot send SIG" + signal + " to process " + pid + ": " + output);
        }
    }

    /** Whether it has ended. A zombie counts as ended: in a container without an init process, no process removes it. */
    public static boolean isGone(ProcessHandle one) {
        return !one.isAlive() || state(one.pid()).startsWith("Z");
    }

    /** The state of a process, starting with a letter as in ps(1); empty if it does not exist. */
    private static String state(long pid) {
        if (!Files.exists(Path.of("/proc/self/stat"))) {
            return run("ps", "-o", "state=", "-p", Long.toString(pid));
        }
        try {
            // "pid (name) state ...", where the name may hold anything
            String line = Files.readString(Path.of("/proc/" + pid + "/stat"), StandardCharsets.ISO_8859_1);
            return line.substring(line.lastIndexOf(')') + 2);
        } catch (IOException e) {
            return ""; // it has ended meanwhile
        }
    }

    private static String run(String... command) {
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            exited(process, TIMEOUT);
            return output.trim();
        } catch (IOException e) {
            throw new IllegalStateException("cannot run " + String.join(" ", command), e);
        }
    }
}

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

/** Kills, stops and continues a process and its descendants, and waits until that has happened. */
public final class Processes {

    /** The argument by which a reaper is recognised. */
    static final String REAPER = "headgate-reaper";

    static final Duration PATIENCE = Duration.ofSeconds(10);

    private static final long POLL_NANOS = Duration.ofMillis(2).toNanos();

    private Processes() {}

    /** Sends SIGKILL. */
    public static void kill(Process process) {
        List<ProcessHandle> all = all(process);
        all.forEach(ProcessHandle::destroyForcibly);
        await("the death of process " + process.pid(), () -> all.stream().allMatch(Processes::isGone));
        exited(process, PATIENCE); // this JVM is notified a little later
    }

    /** Sends SIGTERM and, after a timeout, SIGKILL. */
    public static void terminate(Process process) {
        process.destroy();
        if (!exited(process, PATIENCE)) {
            kill(process);
        }
    }

    /** Sends SIGSTOP. */
    public static void pause(Process process) {
        if (!process.isAlive()) {
            throw new IllegalStateException("process " + process.pid() + " has ended and can't be paused");
        }
        for (ProcessHandle one : all(process)) {
            stop(one);
        }
    }

    /** A child may end meanwhile, such as the child of a Redis that writes a snapshot. */
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
        all(process).forEach(one -> signal("CONT", one.pid()));
    }

    private static void await(String what, BooleanSupplier condition) {
        long start = System.nanoTime();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - start > PATIENCE.toNanos()) {
                throw new AssertionError("waited " + PATIENCE + " in vain for " + what);
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
     * The living descendants, and then the process itself: a wrapper may clean up after its child. Without reapers, which delete folders
     * and then end.
     */
    private static List<ProcessHandle> all(Process process) {
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

    public static void signal(String signal, long pid) {
        // The kill of the shell: small images do not have the program.
        String output = run("sh", "-c", "kill -" + signal + " " + pid);
        if (!output.isEmpty()) {
            throw new IllegalStateException("cannot send SIG" + signal + " to process " + pid + ": " + output);
        }
    }

    /** Whether it has ended or is a zombie, which it may remain in a container without an init process. */
    public static boolean isGone(ProcessHandle one) {
        return !one.isAlive() || state(one.pid()).startsWith("Z");
    }

    /** The state letter of a process, as of ps(1); empty if it does not exist. */
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
            exited(process, PATIENCE);
            return output.trim();
        } catch (IOException e) {
            throw new IllegalStateException("cannot run " + String.join(" ", command), e);
        }
    }
}

package io.headgate.testkit;

import io.headgate.testkit.internal.ManagedProcess;
import io.headgate.testkit.internal.Monitor;
import io.headgate.testkit.internal.Processes;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * A child JVM with the class path of this one, or that of a jar, whose output a test can read, and which it can pause and kill.
 *
 * <pre>{@code
 * try (ChildJvm worker = ChildJvm.of(Worker.class).wrongClock("+1h").start(redis.url())) {
 *     worker.awaitLine("ready"::equals, Duration.ofSeconds(30));
 *     worker.kill();
 * }
 * }</pre>
 *
 * <p>A test reads the child's standard output line by line. The message of a wait that times out contains the last lines of its error
 * output. The child uses the folder for temporary files of this JVM, and ends with this JVM, even when this JVM is killed.
 */
public final class ChildJvm implements AutoCloseable {

    private static final int ERROR_LINES_KEPT = 50;
    private static final Duration ERRORS_TIMEOUT = Duration.ofSeconds(30);
    private static final List<String> SHORT_LIVED = List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC");

    private final String name;
    private final Process process;
    private final Monitor monitor = new Monitor();
    private final Deque<String> output = new ArrayDeque<>();
    private final Deque<String> errors = new ArrayDeque<>();
    private final ManagedProcess managed;
    private boolean ended;
    private boolean errorsEnded;

    private ChildJvm(String name, Process process, ManagedProcess managed) {
        this.name = name;
        this.process = process;
        this.managed = managed;
    }

    /** A JVM, not yet started, that will run the main method of this class. */
    public static Builder of(Class<?> main) {
        return new Builder(main.getSimpleName(), List.of(main.getName()));
    }

    /** A JVM, not yet started, that will run this executable jar ({@code java -jar}). Its class path is that of the jar only. */
    public static Builder ofJar(Path jar) {
        return new Builder(String.valueOf(jar.getFileName()), List.of("-jar", jar.toString()));
    }

    /**
     * Takes the next line of its output; empty when the output has ended.
     *
     * @throws AssertionError when the output neither has a line nor ends in that time
     */
    public Optional<String> nextLine(Duration atMost) {
        expect(monitor.await(atMost, () -> ended || !output.isEmpty()), atMost, "a line");
        return monitor.read(() -> Optional.ofNullable(output.poll()));
    }

    /**
     * Takes lines up to the first that matches, and returns that one.
     *
     * @throws AssertionError when no line matches before the output ends, or in that time
     */
    public String awaitLine(Predicate<String> matches, Duration atMost) {
        long start = System.nanoTime();
        while (true) {
            Optional<String> line = nextLine(atMost.minusNanos(System.nanoTime() - start));
            expect(line.isPresent(), atMost, "a line that matches: the output has ended");
            if (line.filter(matches).isPresent()) {
                return line.get();
            }
        }
    }

    /**
     * Waits until the output has ended, and takes all remaining lines.
     *
     * @throws AssertionError when it does not end in that time
     */
    public List<String> awaitOutput(Duration atMost) {
        expect(monitor.await(atMost, () -> ended), atMost, "the end of the output");
        return monitor.change(() -> {
            List<String> lines = List.copyOf(output);
            output.clear();
            return lines;
        });
    }

    /** Writes a line to its standard input. */
    public void send(String line) {
        try {
            process.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
            process.getOutputStream().flush();
        } catch (IOException e) {
            throw new IllegalStateException(name + " does not read its input; it wrote: " + errors(), e);
        }
    }

    /**
     * Waits until it has ended, and returns its exit status.
     *
     * @throws AssertionError when it still runs after that time
     */
    public int awaitExit(Duration atMost) {
        expect(Processes.exited(process, atMost), atMost, "the end of the process");
        return process.exitValue();
    }

    /** Whether its process exists, running or paused. */
    public boolean isAlive() {
        return process.isAlive();
    }

    /** Kills it immediately (SIGKILL), with every process that it started. */
    public void kill() {
        Processes.kill(process);
    }

    /** Suspends it immediately (SIGSTOP), with every process that it started. */
    public void pause() {
        Processes.pause(process);
    }

    /** Continues it after {@link #pause()} (SIGCONT). */
    public void resume() {
        Processes.resume(process);
    }

    /** Kills it if it still runs. */
    @Override
    public void close() {
        managed.close();
    }

    long processId() {
        return process.pid();
    }

    List<ProcessHandle> descendants() {
        return process.descendants().toList();
    }

    private void startReaders() {
        read("output", process.getInputStream(), output::add, () -> ended = true);
        read("errors", process.getErrorStream(), this::addErrorLine, () -> errorsEnded = true);
    }

    private void addErrorLine(String line) {
        errors.add(line);
        if (errors.size() > ERROR_LINES_KEPT) {
            errors.remove();
        }
    }

    private void read(String what, InputStream in, Consumer<String> onLine, Runnable onEnd) {
        Thread thread = new Thread(
                () -> {
                    try (BufferedReader lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
                        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                            String read = line;
                            monitor.change(() -> onLine.accept(read));
                        }
                    } catch (IOException e) {
                        monitor.change(() -> addErrorLine("(cannot read its " + what + ": " + e + ")"));
                    } finally {
                        monitor.change(onEnd);
                    }
                },
                "headgate-child-" + what);
        thread.setDaemon(true);
        thread.start();
    }

    private void expect(boolean happened, Duration atMost, String what) {
        if (!happened) {
            if (monitor.read(() -> ended)) {
                monitor.await(ERRORS_TIMEOUT, () -> errorsEnded); // another thread reads them, maybe later
            }
            throw new AssertionError("waited " + atMost + " in vain for " + what + " of " + name
                    + (isAlive() ? ", which runs" : ", which has ended with status " + process.exitValue())
                    + "; it wrote to its error output: " + errors());
        }
    }

    private String errors() {
        return monitor.read(() -> errors.isEmpty() ? "nothing" : System.lineSeparator() + String.join("\n", errors));
    }

    /** The command line and the environment of a child JVM. */
    public static final class Builder {

        private final String name;
        private final List<String> program;
        private final Map<String, String> environment = new LinkedHashMap<>();
        private List<String> prefix = List.of();
        private List<String> jvmOptions = List.of();
        private boolean shortLived;

        private Builder(String name, List<String> program) {
            this.name = name;
            this.program = program;
        }

        /** Sets a wrong wall clock, such as {@code +1h}; see {@link WrongClock}. It replaces a {@link #prefix(String...)}. */
        public Builder wrongClock(String time) {
            return prefix(WrongClock.command(time).toArray(String[]::new));
        }

        /**
         * Sets a launcher: a command that is followed by the command line of the JVM, and starts it. If it does not replace itself with
         * the JVM (exec), the JVM may outlive a killed parent. It replaces a {@link #wrongClock}.
         */
        public Builder prefix(String... command) {
            prefix = List.of(command);
            return this;
        }

        /** For a short test: compiles with C1 only and uses the serial collector. Not for measurements. */
        public Builder shortLived() {
            shortLived = true;
            return this;
        }

        /** Sets options of the JVM, such as {@code -Xmx64m} or {@code -Dname=value}, in place of those of an earlier call. */
        public Builder jvmOptions(String... options) {
            jvmOptions = List.of(options);
            return this;
        }

        /** Sets an environment variable, in addition to those of this process. */
        public Builder environment(String variable, String value) {
            environment.put(variable, value);
            return this;
        }

        /** Starts the JVM, and does not wait until it is ready; to await that, let it print a line. */
        public ChildJvm start(String... arguments) {
            List<String> command = new ArrayList<>(prefix);
            command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
            if (shortLived) {
                command.addAll(SHORT_LIVED);
            }
            command.add(
                    "-XX:-UsePerfData"); // else a killed one leaves a file in the system's folder for temporary files
            command.add("-Djava.io.tmpdir=" + System.getProperty("java.io.tmpdir"));
            command.addAll(jvmOptions);
            command.addAll(program);
            command.addAll(List.of(arguments));
            ProcessBuilder builder = new ProcessBuilder(command);
            // Not an argument: a class path can be longer than the longest argument.
            builder.environment().put("CLASSPATH", classPath());
            builder.environment().putAll(environment);
            ManagedProcess managed = ManagedProcess.open("headgate-child-cleanup", Optional.empty(), () -> {});
            try {
                ChildJvm child = new ChildJvm(name, managed.start(builder), managed);
                child.startReaders();
                return child;
            } catch (IOException e) {
                managed.close();
                throw new IllegalStateException("cannot start " + String.join(" ", command), e);
            } catch (RuntimeException e) {
                managed.close();
                throw e;
            }
        }

        /** The class path of this JVM. Surefire may start the tests from a jar of its own; its property then has the class path. */
        private static String classPath() {
            return System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        }
    }
}

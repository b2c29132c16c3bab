package io.headgate.server.operators;

import io.headgate.server.cli.StartException;
import io.headgate.server.text.Quoted;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The operators' log of one command: it writes one line for each change to standard error and, if a file is given, to the end of that file.
 * It also writes the line of a change that a signal interrupts.
 */
public final class ChangeLog implements AutoCloseable {

    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSXXX");

    private final String operator = LocalOperator.name();
    private final Optional<Path> path;
    private final @Nullable FileChannel file;
    private volatile Optional<String> problem = Optional.empty();

    private ChangeLog(Optional<Path> path, @Nullable FileChannel file) {
        this.path = path;
        this.file = file;
    }

    /**
     * Opens the log.
     *
     * @param path a file to append to, which is created if it does not exist
     * @param option the name of the option for the file, for errors
     * @throws StartException if the file cannot be opened for writing
     */
    public static ChangeLog open(Optional<Path> path, String option) {
        if (path.isEmpty()) {
            return new ChangeLog(path, null);
        }
        try {
            FileChannel file = FileChannel.open(
                    path.get(), StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.APPEND);
            return new ChangeLog(path, file);
        } catch (IOException | UnsupportedOperationException e) {
            throw StartException.wrongInput(option + " " + Quoted.of(path.get().toString())
                    + " can't be opened for appending: " + reason(e) + ". Nothing was changed");
        }
    }

    /**
     * Makes a change and logs its outcome, or its failure.
     *
     * @param what the operation, and its queue or job
     * @param soFar the part that is done, for the line of a change that a signal interrupts
     * @param change makes the change
     * @param outcome the text to log for its result
     */
    public <T> T run(String what, Supplier<String> soFar, Supplier<T> change, Function<T, String> outcome) {
        OperatorLine line = new OperatorLine(operator, what);
        AtomicBoolean ended = new AtomicBoolean();
        Thread onSignal = new Thread(() -> end(line, ended, "interrupted, " + soFar.get()), "operators-log");
        Runtime.getRuntime().addShutdownHook(onSignal);
        try {
            T result = change.get();
            end(line, ended, outcome.apply(result));
            return result;
        } catch (RuntimeException | Error e) {
            end(line, ended, "failed: " + Quoted.inOneLine(e.getMessage() == null ? e.toString() : e.getMessage()));
            throw e;
        } finally {
            remove(onSignal);
        }
    }

    /** The reason why the file lacks a line of a change, or could not be closed; empty if neither happened. */
    public Optional<String> problem() {
        return problem;
    }

    /** Writes the line once: at the end of the change, or on a signal. If both happen, the later one waits, and writes nothing. */
    private synchronized void end(OperatorLine line, AtomicBoolean ended, String outcome) {
        if (ended.compareAndSet(false, true)) {
            line.info(outcome);
            append(line.text(outcome));
        }
    }

    /** Writes in one call if the file system accepts it, so that lines of several processes do not mix. */
    private void append(String text) {
        if (file == null) {
            return;
        }
        String line = endsWithinLine(path.orElseThrow()) ? System.lineSeparator() : "";
        line += TIME.format(OffsetDateTime.now(ZoneId.systemDefault())) + " INFO  " + text + System.lineSeparator();
        ByteBuffer bytes = ByteBuffer.wrap(line.getBytes(StandardCharsets.UTF_8));
        try {
            while (bytes.hasRemaining()) {
                file.write(bytes);
            }
        } catch (IOException e) {
            problem = Optional.of(
                    "the operators' log " + Quoted.of(path.orElseThrow().toString())
                            + " lacks a line, which is on standard error: " + reason(e));
        }
    }

    /** Returns whether the file ends within a line, for example because the disk was full; false if the file cannot be read. */
    private static boolean endsWithinLine(Path path) {
        try {
            if (!Files.isRegularFile(path)) {
                return false;
            }
            try (SeekableByteChannel read = Files.newByteChannel(path)) {
                ByteBuffer last = ByteBuffer.allocate(1);
                return read.size() > 0 && read.position(read.size() - 1).read(last) == 1 && last.get(0) != '\n';
            }
        } catch (IOException unreadable) {
            return false;
        }
    }

    private static String reason(Exception e) {
        if (e instanceof NoSuchFileException) {
            return "its folder does not exist";
        } else if (e instanceof AccessDeniedException) {
            return "permission denied";
        }
        // Messages of other exceptions begin with the path.
        String reason = e instanceof FileSystemException of ? of.getReason() : e.getMessage();
        return Quoted.inOneLine(reason == null ? e.getClass().getSimpleName() : reason);
    }

    private static void remove(Thread onSignal) {
        try {
            Runtime.getRuntime().removeShutdownHook(onSignal);
        } catch (IllegalStateException shutsDown) {
            // The JVM is shutting down, and the hook runs. The line was already written, by run() or by the hook.
        }
    }

    /** Closes the file; a failure is a {@link #problem()}. */
    @Override
    public synchronized void close() {
        if (file != null) {
            try {
                file.close();
            } catch (IOException e) {
                problem = problem.or(() -> Optional.of(Quoted.inOneLine(String.valueOf(e.getMessage()))));
            }
        }
    }
}

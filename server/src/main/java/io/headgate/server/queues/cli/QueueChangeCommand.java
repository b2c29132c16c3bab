package io.headgate.server.queues.cli;

import io.headgate.queues.QueueEngine;
import io.headgate.server.operators.ChangeLog;
import io.headgate.server.text.Quoted;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Option;

/** A command that can change a queue, and writes each change to the operators' log. It opens the log before the first change. */
abstract class QueueChangeCommand extends NamedQueueCommand {

    private static final String OPERATORS_LOG = "--operators-log";

    @Option(
            names = OPERATORS_LOG,
            paramLabel = "FILE",
            defaultValue = "${env:HEADGATE_OPERATORS_LOG}",
            description =
                    "Also append the log line of each change to this file. The variable HEADGATE_OPERATORS_LOG does the same. Standard error has the line in either case.")
    private Optional<Path> operatorsLog = Optional.empty();

    private @Nullable ChangeLog log;

    /** Returns whether the command may change something, and so opens the log. A dry run, or an audit without repair, does not. */
    abstract boolean changes();

    /** Runs the command, and returns the exit code. Makes each change in {@link #logged}, and none if {@link #changes()} is false. */
    abstract int change(QueueEngine queues);

    @Override
    final int run(QueueEngine queues) {
        if (!changes()) {
            return change(queues);
        }
        // An empty variable counts as not set.
        Optional<Path> file = operatorsLog.filter(path -> !path.toString().isBlank());
        try (ChangeLog opened = ChangeLog.open(file, OPERATORS_LOG)) {
            log = opened;
            int exitCode = change(queues);
            // Some file systems report a failed write only when the file is closed.
            opened.close();
            return opened.problem().isEmpty() ? exitCode : ExitCode.SOFTWARE;
        } finally {
            if (log != null) {
                log.problem().ifPresent(problem -> err().println("headgate: " + problem));
            }
        }
    }

    /**
     * Makes a change and logs its outcome, its failure, or that a signal interrupted it.
     *
     * @param operation the same word as over HTTP
     * @param suffix the jobs, or empty; follows the name of the queue in the line
     * @param soFar the part that is done, for the line of a change that a signal interrupts
     * @param change makes the change
     * @param outcome the text to log for its result
     */
    <T> T logged(
            String operation, String suffix, Supplier<String> soFar, Supplier<T> change, Function<T, String> outcome) {
        if (log == null) {
            throw new IllegalStateException("a command that changes nothing has no log");
        }
        return log.run(operation + " " + Quoted.of(name()) + suffix, soFar, change, outcome);
    }

    /** Makes and logs a change of many jobs, which counts the changed jobs in the progress; returns their number. */
    long logged(String operation, Progress progress, Runnable change, LongFunction<String> outcome) {
        return logged(
                operation,
                "",
                () -> outcome.apply(progress.done()) + " or more",
                () -> {
                    progress.run(change);
                    return progress.done();
                },
                outcome::apply);
    }

    /** Makes and logs a change that is a single call. */
    <T> T logged(String operation, String suffix, Supplier<T> change, Function<T, String> outcome) {
        return logged(operation, suffix, () -> "the change may have been made", change, outcome);
    }

    /** Makes and logs a change without a result. */
    void logged(String operation, Runnable change, String outcome) {
        logged(
                operation,
                "",
                () -> {
                    change.run();
                    return outcome;
                },
                result -> result);
    }
}

package io.headgate.server.queues.cli;

import io.headgate.queues.QueueEngine;
import io.headgate.redis.audit.AuditAction;
import io.headgate.server.audit.AuditOptions;
import io.headgate.server.audit.AuditedChange;
import io.headgate.server.audit.CommandAudit;
import io.headgate.server.text.Quoted;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;

/** A command that can change a queue, and records each change in the audit log. It opens the log before the first change. */
abstract class QueueChangeCommand extends NamedQueueCommand {

    @Mixin
    private AuditOptions auditOptions = new AuditOptions();

    private @Nullable CommandAudit audit;

    /** Returns whether the command may change something, and so opens the log. A dry run, or an audit without repair, does not. */
    abstract boolean changes();

    /** Runs the command, and returns the exit code. Makes each change in {@link #recorded}, and none if {@link #changes()} is false. */
    abstract int change(QueueEngine queues);

    @Override
    final int run(QueueEngine queues) {
        if (!changes()) {
            return change(queues);
        }
        try (CommandAudit opened = auditOptions.open(() -> Optional.of(auditLog()))) {
            audit = opened;
            int exitCode = change(queues);
            // Some file systems report a failed write only when the file is closed.
            opened.close();
            return opened.problem().isEmpty() ? exitCode : ExitCode.SOFTWARE;
        } finally {
            if (audit != null) {
                audit.problem().ifPresent(problem -> err().println("headgate: " + problem));
            }
        }
    }

    /**
     * Makes a change and records its outcome, its failure, or that a signal interrupted it.
     *
     * @param soFar the part that is done, for a change that fails or is interrupted
     * @param outcome the outcome of a result
     */
    private <T> T recorded(
            Change change,
            Supplier<Optional<CommandAudit.Outcome>> soFar,
            Supplier<T> work,
            Function<T, CommandAudit.Outcome> outcome) {
        if (audit == null) {
            throw new IllegalStateException("a command that changes nothing has no audit log");
        }
        return audit.run(
                new CommandAudit.Plan(
                        change.action(),
                        change.operation() + " " + Quoted.of(name()) + change.suffix(),
                        change.about(),
                        soFar),
                work,
                outcome);
    }

    /**
     * A change to make.
     *
     * @param operation the same word as over HTTP
     * @param suffix the jobs, or empty; follows the name of the queue in the line for people
     * @param about what is known before the change
     */
    record Change(AuditAction action, String operation, String suffix, AuditedChange about) {}

    /** A change of the whole queue. */
    Change ofQueue(AuditAction action, String operation) {
        return new Change(action, operation, "", AuditedChange.of(name()));
    }

    /**
     * Makes and records a change of many jobs, which counts the changed jobs in the progress; returns their number.
     *
     * @param text the outcome for a number of jobs
     * @param audited the change for a number of jobs
     */
    long recorded(
            Change change,
            Progress progress,
            Runnable work,
            LongFunction<String> text,
            LongFunction<AuditedChange> audited) {
        return recorded(
                change,
                () -> {
                    long done = progress.done();
                    return Optional.of(
                            new CommandAudit.Outcome(done > 0, text.apply(done) + " or more", audited.apply(done)));
                },
                () -> {
                    progress.run(work);
                    return progress.done();
                },
                done -> new CommandAudit.Outcome(done > 0, text.apply(done), audited.apply(done)));
    }

    /**
     * Makes changes of several jobs, and records them in one record.
     *
     * @param soFar the outcome of the part that is done
     */
    void recorded(Change change, Runnable work, Supplier<CommandAudit.Outcome> soFar) {
        recorded(
                change,
                () -> Optional.of(soFar.get()),
                () -> {
                    work.run();
                    return soFar.get();
                },
                outcome -> outcome);
    }

    /** Makes and records a change that is a single call. */
    <T> T recorded(Change change, Supplier<T> work, Function<T, CommandAudit.Outcome> outcome) {
        return recorded(change, Optional::empty, work, outcome);
    }

    /** Makes and records a change without a result. */
    void recorded(Change change, Runnable work, CommandAudit.Outcome outcome) {
        recorded(
                change,
                () -> {
                    work.run();
                    return outcome;
                },
                result -> result);
    }
}

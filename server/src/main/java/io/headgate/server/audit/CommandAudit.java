package io.headgate.server.audit;

import io.headgate.redis.audit.AuditAction;
import io.headgate.redis.audit.AuditLogException;
import io.headgate.redis.audit.AuditRecord;
import io.headgate.redis.audit.RedisAuditLog;
import io.headgate.server.text.Quoted;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.Supplier;
import picocli.CommandLine;

/**
 * The audit log of one command: for each change, it writes a line to standard error, a record to the file if one is given, and a record to
 * Redis if the change is in Redis. It does so after the change, and also for a change that a signal interrupts.
 */
public final class CommandAudit implements AutoCloseable {

    private static final String VIA = "command-line";

    private final Optional<AuditFile> file;
    private final Optional<RedisAuditLog> stored;
    private volatile Optional<String> problem = Optional.empty();

    /** Creates the log of a command, which closes both. */
    CommandAudit(Optional<AuditFile> file, Optional<RedisAuditLog> stored) {
        this.file = file;
        this.stored = stored;
    }

    /** Returns a log that writes no record, for a command that changes nothing. */
    public static CommandAudit none() {
        return new CommandAudit(Optional.empty(), Optional.empty());
    }

    /**
     * The outcome of a change.
     *
     * @param isChanged whether anything was changed
     * @param text the outcome in a few words
     * @param count how many jobs or bans the record stands for
     */
    public record Outcome(boolean isChanged, String text, AuditedChange change, long count) {

        /** The outcome of one change. */
        public Outcome(boolean isChanged, String text, AuditedChange change) {
            this(isChanged, text, change, 1);
        }

        private Outcome with(String other) {
            return new Outcome(isChanged, other, change, count);
        }
    }

    /**
     * A change to make.
     *
     * @param what the operation, and its queue or job, for people
     * @param about what is known before the change, for one that fails or is interrupted
     * @param soFar the part of several calls that is done, for a change that fails or is interrupted; empty for a single call
     */
    public record Plan(AuditAction action, String what, AuditedChange about, Supplier<Optional<Outcome>> soFar) {

        /** A change that is a single call. */
        public Plan(AuditAction action, String what, AuditedChange about) {
            this(action, what, about, Optional::empty);
        }
    }

    /** Makes a change and records its outcome, or its failure. */
    public <T> T run(Plan plan, Supplier<T> change, Function<T, Outcome> outcome) {
        AtomicBoolean ended = new AtomicBoolean();
        Thread onSignal = new Thread(
                () -> {
                    Outcome soFar = plan.soFar()
                            .get()
                            .orElseGet(() -> new Outcome(true, "the change may have been made", plan.about()));
                    end(plan, ended, "interrupted", soFar, "interrupted, " + soFar.text());
                },
                "headgate-audit");
        Runtime.getRuntime().addShutdownHook(onSignal);
        try {
            T result = change.get();
            Outcome known = outcome.apply(result);
            end(plan, ended, known.isChanged() ? "done" : "not-changed", known, known.text());
            return result;
        } catch (RuntimeException | Error e) {
            String message = Quoted.inOneLine(e.getMessage() == null ? e.toString() : e.getMessage());
            // First what is done, because the audit log cuts long details.
            Outcome failed = plan.soFar()
                    .get()
                    .map(soFar -> soFar.with(soFar.text() + ", then: " + message))
                    .orElseGet(() -> new Outcome(false, message, plan.about()));
            end(plan, ended, "failed", failed, "failed: " + failed.text());
            throw e;
        } finally {
            remove(onSignal);
        }
    }

    /** The reason why a record is missing in the file or in Redis, or the file could not be closed; empty if neither happened. */
    public Optional<String> problem() {
        return problem;
    }

    /**
     * Prints the problem, if there is one, and returns the exit code of the command: 1 with a problem, or else that of its change. Call it
     * after {@link #close}, which may add a problem.
     */
    public int exitCode(int ofChange, PrintWriter err) {
        problem.ifPresent(missing -> err.println("headgate: " + missing));
        return problem.isEmpty() ? ofChange : CommandLine.ExitCode.SOFTWARE;
    }

    /** Writes once: at the end of the change, or on a signal. If both happen, the later one waits, and writes nothing. */
    private synchronized void end(Plan plan, AtomicBoolean ended, String outcome, Outcome details, String line) {
        if (!ended.compareAndSet(false, true)) {
            return;
        }
        new AuditLine(LocalOperator.name(), plan.what()).info(line);
        AuditRecord record = details.change()
                .addTo(AuditRecord.of(plan.action(), VIA))
                .withOperator(LocalOperator.user(), "")
                .withFrom(LocalOperator.host())
                .withOutcome(outcome, details.text())
                .withCount(details.count());
        file.ifPresent(to -> append(to, record));
        stored.ifPresent(to -> write(to, record));
    }

    private void append(AuditFile to, AuditRecord record) {
        try {
            to.append(record);
        } catch (IOException e) {
            add("the audit log " + to + " lacks a record, which is on standard error: " + AuditFile.reason(e));
        }
    }

    private void write(RedisAuditLog to, AuditRecord record) {
        try {
            to.write(record);
        } catch (AuditLogException e) {
            add("the audit log in Redis lacks a record, which is on standard error: "
                    + Quoted.inOneLine(String.valueOf(e.getMessage())));
        }
    }

    private void add(String more) {
        problem = Optional.of(problem.map(first -> first + "; " + more).orElse(more));
    }

    private static void remove(Thread onSignal) {
        try {
            Runtime.getRuntime().removeShutdownHook(onSignal);
        } catch (IllegalStateException shutsDown) {
            // The JVM is shutting down, and the hook runs. The record was already written, by run() or by the hook.
        }
    }

    /** Closes the file and the connection; a failure is a {@link #problem()}. A second call has no effect. */
    @Override
    public synchronized void close() {
        try {
            if (file.isPresent()) {
                file.get().close();
            }
        } catch (IOException e) {
            add(Quoted.inOneLine(String.valueOf(e.getMessage())));
        }
        stored.ifPresent(RedisAuditLog::close);
    }
}

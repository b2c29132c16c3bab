package io.headgate.redis.writes;

import io.headgate.queues.Durability;
import io.headgate.queues.QueueException;
import io.headgate.redis.internal.LettuceExecutor;
import io.headgate.redis.internal.Packed;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * What Redis is asked to confirm of all that a connection has written, and what its answer says.
 *
 * @param command the command
 * @param files whether it is asked of append-only files
 * @param local in how many files of the server itself it must be: 0 or 1
 * @param replicas how many replicas must have it
 * @param timeout how long Redis waits for that
 */
record Confirmation(String command, boolean files, int local, int replicas, Duration timeout) {

    /** Nothing where nothing is to be confirmed. */
    static Optional<Confirmation> of(Durability durability) {
        if (durability instanceof Durability.Replicas wanted) {
            return Optional.of(new Confirmation("WAIT", false, 0, wanted.replicas(), wanted.timeout()));
        }
        if (durability instanceof Durability.AppendOnlyFile wanted) {
            return Optional.of(
                    new Confirmation("WAITAOF", true, wanted.local() ? 1 : 0, wanted.replicas(), wanted.timeout()));
        }
        return Optional.empty();
    }

    /** Asks after what was sent before. */
    CompletableFuture<byte[]> ask(LettuceExecutor executor) {
        return asked(executor, replicas, timeout.toMillis());
    }

    /** Asks what can be answered at once, which shows whether Redis can be asked at all. */
    CompletableFuture<byte[]> tryOut(LettuceExecutor executor) {
        return asked(executor, 0, 1);
    }

    private CompletableFuture<byte[]> asked(LettuceExecutor executor, int ofReplicas, long millis) {
        return files
                ? executor.command(command, Packed.text(local), Packed.text(ofReplicas), Packed.text(millis))
                : executor.command(command, Packed.text(ofReplicas), Packed.text(millis));
    }

    /** Why the answer does not confirm what was to be; nothing when it does. */
    Optional<String> doubt(byte @Nullable [] answer, @Nullable Throwable problem) {
        if (answer == null) {
            String why = problem instanceof QueueException failure ? failure.problem() : String.valueOf(problem);
            return Optional.of("how safe is not known: " + explained(why));
        }
        List<String> lacking = new ArrayList<>();
        boolean lackingHere = files && Packed.number(answer, 0, Long.BYTES) < local;
        if (lackingHere) {
            lacking.add("the server's append-only file does not have it");
        }
        long confirmed = Packed.number(answer, answer.length - Long.BYTES, Long.BYTES);
        if (confirmed < replicas) {
            lacking.add("only " + confirmed + " of " + replicas + " replicas "
                    + (files ? "have it in their append-only files" : "confirmed"));
        }
        return lacking.isEmpty()
                ? Optional.empty()
                : Optional.of(String.join(" and ", lacking) + (files ? " after " : " within ") + timeout.toMillis()
                        + " ms" + (lackingHere ? "; with appendfsync no it never says so" : ""));
    }

    /** What Redis answered, and what is needed where it can't confirm anything. */
    static String explained(String problem) {
        if (problem.contains("unknown command")) {
            return "Durability.appendOnlyFile needs WAITAOF, which Redis has from 7.2 on, and Valkey: " + problem;
        }
        if (problem.contains("appendonly is disabled")) {
            return "Durability.appendOnlyFile needs the server's append-only file, which is off (appendonly no): "
                    + problem;
        }
        return problem;
    }
}

package io.headgate.redis.queues.internal.durability;

import io.headgate.queues.Durability;
import io.headgate.queues.QueueException;
import io.headgate.redis.internal.connection.LettuceExecutor;
import io.headgate.redis.internal.script.Packed;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A {@code WAIT} or {@code WAITAOF} command, with which Redis confirms every earlier write of a connection, and the check of its reply.
 *
 * @param command the name of the command
 * @param files whether append-only files must have the writes: {@code WAITAOF}
 * @param local how many append-only files of the server itself must have them: 0 or 1
 * @param replicas how many replicas must have them
 * @param timeout how long Redis waits for the confirmation
 */
record Confirmation(String command, boolean files, int local, int replicas, Duration timeout) {

    /** Returns the confirmation of a durability; empty when it requests none. */
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

    /** Requests the confirmation of all writes that were sent before. */
    CompletableFuture<byte[]> request(LettuceExecutor executor) {
        return send(executor, replicas, timeout.toMillis());
    }

    /**
     * Sends the command for no replica and with a timeout of 1 ms, to find out whether Redis supports it. A confirmation by the server's
     * own append-only file stays part of it: Redis rejects it if that file is off.
     */
    CompletableFuture<byte[]> probe(LettuceExecutor executor) {
        return send(executor, 0, 1);
    }

    private CompletableFuture<byte[]> send(LettuceExecutor executor, int ofReplicas, long millis) {
        return files
                ? executor.command(command, Packed.text(local), Packed.text(ofReplicas), Packed.text(millis))
                : executor.command(command, Packed.text(ofReplicas), Packed.text(millis));
    }

    /** Describes what the reply does not confirm; empty when it confirms everything. */
    Optional<String> missing(byte @Nullable [] reply, @Nullable Throwable problem) {
        if (reply == null) {
            String why = problem instanceof QueueException failure ? failure.problem() : String.valueOf(problem);
            return Optional.of("its durability is unknown: " + explained(why));
        }
        List<String> lacking = new ArrayList<>();
        boolean lackingHere = files && Packed.number(reply, 0, Long.BYTES) < local;
        if (lackingHere) {
            lacking.add("the server's append-only file does not have it");
        }
        long confirmed = Packed.number(reply, reply.length - Long.BYTES, Long.BYTES);
        if (confirmed < replicas) {
            lacking.add("only " + confirmed + " of " + replicas + " replicas "
                    + (files ? "have it in their append-only files" : "confirmed"));
        }
        return lacking.isEmpty()
                ? Optional.empty()
                : Optional.of(String.join(" and ", lacking) + (files ? " after " : " within ") + timeout.toMillis()
                        + " ms" + (lackingHere ? "; with 'appendfsync no', the server never confirms a write" : ""));
    }

    /** Returns the problem that Redis reported, preceded by the requirement that is not met if Redis can't confirm any write. */
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

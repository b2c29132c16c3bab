package io.headgate.redis.queues.internal.durability;

import io.headgate.queues.QueueException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * The result of a write that Redis has executed: its reply, and whether Redis confirmed the durability that was requested.
 *
 * @param reply the decoded reply
 * @param unconfirmed why the write is less durable than requested; empty when it is confirmed, or when no confirmation was requested
 * @param <T> the type of the decoded reply
 */
public record WriteResult<T>(T reply, Optional<QueueException> unconfirmed) {

    /** Returns the reply; throws the exception of an unconfirmed write. */
    public T requireConfirmed() {
        if (unconfirmed.isPresent()) {
            throw unconfirmed.get();
        }
        return reply;
    }

    /**
     * Returns a future that completes with the reply, or exceptionally when the write failed or is unconfirmed.
     *
     * @param onReply receives the reply first, also that of an unconfirmed write
     */
    static <T> CompletableFuture<T> confirmedOrFailed(CompletableFuture<WriteResult<T>> writing, Consumer<T> onReply) {
        CompletableFuture<T> confirmed = new CompletableFuture<>();
        writing.whenComplete((written, problem) -> {
            if (problem != null) {
                confirmed.completeExceptionally(problem);
                return;
            }
            onReply.accept(written.reply());
            if (written.unconfirmed().isPresent()) {
                confirmed.completeExceptionally(written.unconfirmed().get());
            } else {
                confirmed.complete(written.reply());
            }
        });
        return confirmed;
    }
}

package io.headgate.redis.queues;

import io.headgate.queues.QueueException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The answer to a call that was carried out.
 *
 * @param answer what it answers
 * @param doubt that what it wrote is not as safe as it should be
 * @param <T> what the answer means
 */
record Written<T>(T answer, Optional<QueueException> doubt) {

    /** The answer, or where there is a doubt, a failure. */
    static <T> CompletableFuture<T> sure(CompletableFuture<Written<T>> writing) {
        CompletableFuture<T> sure = new CompletableFuture<>();
        writing.whenComplete((written, problem) -> {
            if (problem != null) {
                sure.completeExceptionally(problem);
            } else if (written.doubt().isPresent()) {
                sure.completeExceptionally(written.doubt().get());
            } else {
                sure.complete(written.answer());
            }
        });
        return sure;
    }
}

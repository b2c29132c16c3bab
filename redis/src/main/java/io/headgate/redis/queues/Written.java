package io.headgate.redis.queues;

import io.headgate.queues.QueueException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * The answer to a call that was carried out.
 *
 * @param answer what it answers
 * @param doubt that what it wrote is not as safe as it should be
 * @param <T> what the answer means
 */
record Written<T>(T answer, Optional<QueueException> doubt) {

    /** The answer, or where there is a doubt, a failure; somebody hears the answer either way, and first. */
    static <T> CompletableFuture<T> sure(CompletableFuture<Written<T>> writing, Consumer<T> heard) {
        CompletableFuture<T> sure = new CompletableFuture<>();
        writing.whenComplete((written, problem) -> {
            if (problem != null) {
                sure.completeExceptionally(problem);
                return;
            }
            heard.accept(written.answer());
            if (written.doubt().isPresent()) {
                sure.completeExceptionally(written.doubt().get());
            } else {
                sure.complete(written.answer());
            }
        });
        return sure;
    }
}

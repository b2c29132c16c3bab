package io.headgate.redis.writes;

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
public record Written<T>(T answer, Optional<QueueException> doubt) {

    /** The answer; throws the doubt where there is one. */
    public T confirmed() {
        if (doubt.isPresent()) {
            throw doubt.get();
        }
        return answer;
    }

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

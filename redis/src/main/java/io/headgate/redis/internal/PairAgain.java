package io.headgate.redis.internal;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A script call and the command behind it, on their way through a Cluster: while the slot of their keys moves neither is done, and
 * both are sent again when they may be, until their time-out; what is sent last may take that long once more.
 */
final class PairAgain<T, R> {

    private static final int PAUSE_MILLIS = 10;

    private final ClusterExecutor executor;
    private final ScriptCall<T> call;
    private final PlainCall<R> behind;
    private final long deadlineNanos;
    private final CompletableFuture<T> first = new CompletableFuture<>();
    private final CompletableFuture<R> second = new CompletableFuture<>();

    PairAgain(ClusterExecutor executor, ScriptCall<T> call, PlainCall<R> behind, long deadlineNanos) {
        this.executor = executor;
        this.call = call;
        this.behind = behind;
        this.deadlineNanos = deadlineNanos;
    }

    Replies<T, R> send() {
        sendOnce();
        return new Replies<>(first, second);
    }

    private void sendOnce() {
        Replies<T, R> replies = executor.executeOnce(call, behind);
        replies.first().whenComplete((reply, problem) -> {
            if (problem != null && isToBeSentAgain(problem)) {
                // Not before the other one has ended, too.
                replies.second().whenComplete((ignored, same) -> {
                    if (!executor.pause(PAUSE_MILLIS, this::sendOnce, () -> fail(problem))) {
                        fail(problem);
                    }
                });
            } else {
                end(first, reply, problem);
                replies.second().whenComplete((other, wrong) -> end(second, other, wrong));
            }
        });
    }

    private boolean isToBeSentAgain(Throwable problem) {
        Redirect redirect = Redirect.of(problem.getCause());
        return redirect != null
                && redirect.kind() != Redirect.Kind.CLUSTERDOWN
                && !first.isDone()
                && deadlineNanos - System.nanoTime() > TimeUnit.MILLISECONDS.toNanos(PAUSE_MILLIS);
    }

    private void fail(Throwable problem) {
        first.completeExceptionally(problem);
        second.completeExceptionally(problem);
    }

    private static <V> void end(CompletableFuture<V> waiting, @Nullable V value, @Nullable Throwable problem) {
        if (problem != null) {
            waiting.completeExceptionally(problem);
        } else {
            waiting.complete(value);
        }
    }
}

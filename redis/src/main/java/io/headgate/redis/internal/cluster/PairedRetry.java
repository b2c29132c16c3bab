package io.headgate.redis.internal.cluster;

import io.headgate.redis.internal.script.PairedReplies;
import io.headgate.redis.internal.script.ScriptCall;
import io.headgate.redis.internal.script.TrailingCommand;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Retries a script call and its trailing command in a Cluster. If the node does not serve the slot of their keys at the
 * moment, for example while the slot migrates, neither has an effect, and both are sent again after a pause until their
 * timeout. The last attempt may take up to one more timeout. If no node serves the slot (CLUSTERDOWN), both fail
 * immediately.
 */
final class PairedRetry<T, R> {

    /** The masters of a Cluster. */
    interface Masters {

        /** Sends both once to the owner of their slot. */
        <T, R> PairedReplies<T, R> executeOnce(ScriptCall<T> call, TrailingCommand<R> trailing);

        /**
         * Runs a task after a pause, or {@code whenClosed} if the executor closes before.
         *
         * @return false if the executor is already closed; then neither task runs
         */
        boolean pause(long millis, Runnable task, Runnable whenClosed);
    }

    private static final int PAUSE_MILLIS = 10;

    private final Masters masters;
    private final ScriptCall<T> call;
    private final TrailingCommand<R> trailing;
    private final long deadlineNanos;
    private final CompletableFuture<T> scriptReply = new CompletableFuture<>();
    private final CompletableFuture<R> trailingReply = new CompletableFuture<>();

    PairedRetry(Masters masters, ScriptCall<T> call, TrailingCommand<R> trailing, long deadlineNanos) {
        this.masters = masters;
        this.call = call;
        this.trailing = trailing;
        this.deadlineNanos = deadlineNanos;
    }

    PairedReplies<T, R> send() {
        sendOnce();
        return new PairedReplies<>(scriptReply, trailingReply);
    }

    private void sendOnce() {
        PairedReplies<T, R> replies = masters.executeOnce(call, trailing);
        replies.script().whenComplete((reply, problem) -> {
            if (problem != null && shouldRetry(problem)) {
                // Only after the trailing command has completed, too.
                replies.trailing().whenComplete((ignored, same) -> {
                    if (!masters.pause(PAUSE_MILLIS, this::sendOnce, () -> fail(problem))) {
                        fail(problem);
                    }
                });
            } else {
                complete(scriptReply, reply, problem);
                replies.trailing().whenComplete((other, wrong) -> complete(trailingReply, other, wrong));
            }
        });
    }

    private boolean shouldRetry(Throwable problem) {
        Redirect redirect = Redirect.of(problem.getCause());
        return redirect != null
                && redirect.kind() != Redirect.Kind.CLUSTERDOWN
                && !scriptReply.isDone()
                && deadlineNanos - System.nanoTime() > TimeUnit.MILLISECONDS.toNanos(PAUSE_MILLIS);
    }

    private void fail(Throwable problem) {
        scriptReply.completeExceptionally(problem);
        trailingReply.completeExceptionally(problem);
    }

    private static <V> void complete(CompletableFuture<V> waiting, @Nullable V value, @Nullable Throwable problem) {
        if (problem != null) {
            waiting.completeExceptionally(problem);
        } else {
            waiting.complete(value);
        }
    }
}

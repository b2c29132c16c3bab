package io.headgate.redis.internal.cluster;

import io.headgate.redis.internal.script.PairedReplies;
import io.headgate.redis.internal.script.ScriptCall;
import io.headgate.redis.internal.script.TrailingCommand;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Retries a script call and its trailing command in a Cluster: while the slot of their keys migrates, neither is executed, and both are
 * sent again after a pause, until their timeout. The last try may take that long once more.
 */
final class PairedRetry<T, R> {

    /** The masters of a Cluster. */
    interface Masters {

        /** Sends both to the owner of their slot, once. */
        <T, R> PairedReplies<T, R> executeOnce(ScriptCall<T> call, TrailingCommand<R> trailing);

        /**
         * Runs a task after a pause, or another one if the executor is closed before.
         *
         * @return false if the executor is closed already, and neither will run
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
                // Only after the command has ended, too.
                replies.trailing().whenComplete((ignored, same) -> {
                    if (!masters.pause(PAUSE_MILLIS, this::sendOnce, () -> fail(problem))) {
                        fail(problem);
                    }
                });
            } else {
                end(scriptReply, reply, problem);
                replies.trailing().whenComplete((other, wrong) -> end(trailingReply, other, wrong));
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

    private static <V> void end(CompletableFuture<V> waiting, @Nullable V value, @Nullable Throwable problem) {
        if (problem != null) {
            waiting.completeExceptionally(problem);
        } else {
            waiting.complete(value);
        }
    }
}

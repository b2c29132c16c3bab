package io.headgate.redis.queues.internal.durability;

import io.headgate.queues.QueueException;
import io.headgate.redis.internal.connection.Failures;
import io.headgate.redis.internal.connection.LettuceExecutor;
import io.headgate.redis.internal.script.ScriptCall;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Group commit: sends writes over a separate connection, followed by {@code WAIT} or {@code WAITAOF}, and returns their replies when that
 * command has replied.
 *
 * <p>While Redis waits for its replicas or its append-only file, it serves nothing else on that connection. The confirmation covers every earlier write of
 * the connection. So one group of calls is in flight at a time, followed by one confirmation; calls that arrive meanwhile form the next
 * group. A call waits for at most two groups, even if replicas are slow or there are many callers. Safe for use by several
 * threads.
 */
final class ConfirmedWrites implements Writes {

    private static final int MAX_WAITING = 100_000;

    private final LettuceExecutor executor;
    private final Confirmation confirmation;
    private final Failures failures;
    private final ReentrantLock lock = new ReentrantLock();

    /** Guarded by the lock, as is the field below. */
    private List<Write<?>> waiting = new ArrayList<>();

    private boolean inFlight;

    ConfirmedWrites(LettuceExecutor executor, Confirmation confirmation, Failures failures) {
        this.executor = executor;
        this.confirmation = confirmation;
        this.failures = failures;
    }

    @Override
    public <T> CompletableFuture<T> execute(ScriptCall<T> call) {
        return WriteResult.confirmedOrFailed(write(call), reply -> {});
    }

    @Override
    public <T> CompletableFuture<WriteResult<T>> write(ScriptCall<T> call) {
        return write(call, false);
    }

    /**
     * Sends the call once.
     *
     * @param asking whether to send {@code ASKING} first, so that a Cluster node executes the call for a slot that it is importing
     */
    <T> CompletableFuture<WriteResult<T>> write(ScriptCall<T> call, boolean asking) {
        Write<T> write = new Write<>(call, asking);
        lock.lock();
        try {
            if (waiting.size() >= MAX_WAITING) {
                write.result.completeExceptionally(failures.failure(
                        call.script().name(),
                        call.firstKey(),
                        "too many calls wait for those before them to be confirmed: " + MAX_WAITING
                                + "; nothing was sent",
                        false,
                        null));
                return write.result;
            }
            waiting.add(write);
        } finally {
            lock.unlock();
        }
        sendNextGroup();
        return write.result;
    }

    private void sendNextGroup() {
        List<Write<?>> group;
        lock.lock();
        try {
            if (inFlight || waiting.isEmpty()) {
                return;
            }
            inFlight = true;
            group = waiting;
            waiting = new ArrayList<>();
        } finally {
            lock.unlock();
        }
        awaitConfirmation(group, sendGroup(group));
    }

    private CompletableFuture<byte[]> sendGroup(List<Write<?>> group) {
        try {
            return executor.flushTogether(() -> {
                group.forEach(write -> write.send(executor));
                return confirmation.request(executor);
            });
        } catch (RuntimeException | Error e) {
            // The group must complete: every later call waits for it.
            group.forEach(write -> write.failUnsent(failures, e));
            return CompletableFuture.failedFuture(e);
        }
    }

    private Optional<String> missingConfirmation(byte @Nullable [] reply, @Nullable Throwable problem) {
        try {
            return confirmation.missing(reply, problem);
        } catch (RuntimeException e) {
            return Optional.of("its durability is unknown: " + e);
        }
    }

    private void awaitConfirmation(List<Write<?>> group, CompletableFuture<byte[]> confirmed) {
        confirmed.whenComplete((reply, problem) -> {
            Optional<String> missing = missingConfirmation(reply, problem);
            // A call without a reply by now was resent after the confirmation, because Redis did not have its script.
            List<Write<?>> resent = problem == null
                    ? group.stream().filter(write -> !write.isReplied()).toList()
                    : List.of();
            if (!resent.isEmpty()) {
                awaitConfirmation(resent, confirmation.request(executor));
            }
            // The calls complete before the next group is sent, so that the next call of a sequential caller joins it.
            group.stream().filter(write -> !resent.contains(write)).forEach(write -> write.complete(missing));
            if (resent.isEmpty()) {
                groupEnded();
            }
        });
    }

    private void groupEnded() {
        lock.lock();
        try {
            inFlight = false;
        } finally {
            lock.unlock();
        }
        sendNextGroup();
    }

    /** A call and the future of its caller. */
    private static final class Write<T> {

        private final ScriptCall<T> call;
        private final boolean asking;
        private final CompletableFuture<WriteResult<T>> result = new CompletableFuture<>();
        private final CompletableFuture<T> unsent = new CompletableFuture<>();
        private CompletableFuture<T> reply = unsent;

        Write(ScriptCall<T> call, boolean asking) {
            this.call = call;
            this.asking = asking;
        }

        void send(LettuceExecutor executor) {
            reply = asking ? executor.executeAsking(call) : executor.execute(call);
        }

        /** Fails the call unless it was sent. */
        void failUnsent(Failures failures, Throwable problem) {
            unsent.completeExceptionally(failures.failure(
                    call.script().name(), call.firstKey(), problem + "; nothing was sent", false, problem));
        }

        boolean isReplied() {
            return reply.isDone();
        }

        void complete(Optional<String> missing) {
            reply.whenComplete((value, problem) -> {
                if (problem != null) {
                    result.completeExceptionally(problem);
                } else {
                    result.complete(new WriteResult<>(value, missing.map(this::unconfirmed)));
                }
            });
        }

        private QueueException unconfirmed(String missing) {
            String operation = call.script().name();
            String done =
                    switch (operation) {
                        case "enqueue" -> "in the queue, but ";
                        case "produce" -> "in the stream, but ";
                        default -> "done, but ";
                    };
            return new QueueException(operation, call.firstKey(), done + missing, true, null);
        }
    }
}

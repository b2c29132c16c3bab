package io.headgate.redis.writes;

import io.headgate.queues.QueueException;
import io.headgate.redis.internal.Failures;
import io.headgate.redis.internal.LettuceExecutor;
import io.headgate.redis.internal.ScriptCall;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Sends calls that write over a connection of their own, and has Redis confirm what they wrote before it tells their answers.
 *
 * <p>Redis does nothing else for a connection that waits for a confirmation, and confirms all that it wrote before. So one
 * group of calls is under way at a time, with one confirmation right behind it; those that come meanwhile make the next
 * group. A call so takes no longer than two groups do, however slow replicas are and however many callers there are.
 */
final class ConfirmedWrites implements Writes {

    private static final int MAX_WAITING = 100_000;

    private final LettuceExecutor executor;
    private final Confirmation confirmation;
    private final Failures failures;
    private final ReentrantLock lock = new ReentrantLock();

    /** Guarded by the lock, as is below. */
    private List<Write<?>> waiting = new ArrayList<>();

    private boolean underWay;

    ConfirmedWrites(LettuceExecutor executor, Confirmation confirmation, Failures failures) {
        this.executor = executor;
        this.confirmation = confirmation;
        this.failures = failures;
    }

    @Override
    public <T> CompletableFuture<T> execute(ScriptCall<T> call) {
        return Written.sure(write(call), answer -> {});
    }

    @Override
    public <T> CompletableFuture<Written<T>> write(ScriptCall<T> call) {
        return write(call, false);
    }

    /**
     * The same.
     *
     * @param asking whether the node of a Cluster is to do it though the slot is still on its way to it
     */
    <T> CompletableFuture<Written<T>> write(ScriptCall<T> call, boolean asking) {
        Write<T> write = new Write<>(call, asking);
        lock.lock();
        try {
            if (waiting.size() >= MAX_WAITING) {
                write.told.completeExceptionally(failures.failure(
                        call.script().name(),
                        call.firstKey(),
                        "too many calls wait for those before them to be confirmed: " + MAX_WAITING
                                + "; nothing was sent",
                        false,
                        null));
                return write.told;
            }
            waiting.add(write);
        } finally {
            lock.unlock();
        }
        sendWhatWaits();
        return write.told;
    }

    private void sendWhatWaits() {
        List<Write<?>> group;
        lock.lock();
        try {
            if (underWay || waiting.isEmpty()) {
                return;
            }
            underWay = true;
            group = waiting;
            waiting = new ArrayList<>();
        } finally {
            lock.unlock();
        }
        confirm(group, asked(group));
    }

    private CompletableFuture<byte[]> asked(List<Write<?>> group) {
        try {
            return executor.together(() -> {
                group.forEach(write -> write.send(executor));
                return confirmation.ask(executor);
            });
        } catch (RuntimeException | Error e) {
            // It must land, or all that come later wait behind it.
            group.forEach(write -> write.notSent(failures, e));
            return CompletableFuture.failedFuture(e);
        }
    }

    private Optional<String> doubt(byte @Nullable [] answer, @Nullable Throwable problem) {
        try {
            return confirmation.doubt(answer, problem);
        } catch (RuntimeException e) {
            return Optional.of("it is not known how safe it is: " + e);
        }
    }

    private void confirm(List<Write<?>> group, CompletableFuture<byte[]> asked) {
        asked.whenComplete((answer, problem) -> {
            Optional<String> doubt = doubt(answer, problem);
            // One that is not answered by now was sent again, since Redis did not know its script: after the
            // confirmation.
            List<Write<?>> behind = problem == null
                    ? group.stream().filter(write -> !write.isAnswered()).toList()
                    : List.of();
            if (!behind.isEmpty()) {
                confirm(behind, confirmation.ask(executor));
            }
            // Before the next group goes, so that who sends one call after the other is part of it.
            group.stream().filter(write -> !behind.contains(write)).forEach(write -> write.tell(doubt));
            if (behind.isEmpty()) {
                landed();
            }
        });
    }

    private void landed() {
        lock.lock();
        try {
            underWay = false;
        } finally {
            lock.unlock();
        }
        sendWhatWaits();
    }

    /** A call, and who waits for it. */
    private static final class Write<T> {

        private final ScriptCall<T> call;
        private final boolean asking;
        private final CompletableFuture<Written<T>> told = new CompletableFuture<>();
        private final CompletableFuture<T> unsent = new CompletableFuture<>();
        private CompletableFuture<T> answer = unsent;

        Write(ScriptCall<T> call, boolean asking) {
            this.call = call;
            this.asking = asking;
        }

        void send(LettuceExecutor executor) {
            answer = asking ? executor.executeAsking(call) : executor.execute(call);
        }

        /** Says so, unless it was. */
        void notSent(Failures failures, Throwable problem) {
            unsent.completeExceptionally(failures.failure(
                    call.script().name(), call.firstKey(), problem + "; nothing was sent", false, problem));
        }

        boolean isAnswered() {
            return answer.isDone();
        }

        void tell(Optional<String> doubt) {
            answer.whenComplete((value, problem) -> {
                if (problem != null) {
                    told.completeExceptionally(problem);
                } else {
                    told.complete(new Written<>(value, doubt.map(this::doubtful)));
                }
            });
        }

        private QueueException doubtful(String doubt) {
            String operation = call.script().name();
            String done =
                    switch (operation) {
                        case "enqueue" -> "in the queue, but ";
                        case "produce" -> "in the stream, but ";
                        default -> "done, but ";
                    };
            return new QueueException(operation, call.firstKey(), done + doubt, true, null);
        }
    }
}

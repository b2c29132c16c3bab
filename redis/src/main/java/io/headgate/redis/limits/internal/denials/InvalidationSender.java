package io.headgate.redis.limits.internal.denials;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.function.Function;

/**
 * Publishes invalidations, throttled and merged. The first is sent immediately. The next message is sent after a pause, with as many of the
 * invalidations added since as fit. A pause begins when Redis has replied, so the number and size of messages are bounded. An invalidation
 * that does not fit into the buffer is dropped; other instances detect outdated denials by themselves within a second. Safe for use by
 * several threads.
 */
final class InvalidationSender {

    /** The pause after a message that another instance has received. */
    static final Duration PAUSE = Duration.ofMillis(100);

    /** The pause after a message that no other instance has received. */
    static final Duration PAUSE_WITHOUT_RECEIVER = Duration.ofSeconds(1);

    /** The pause after a message that failed: there is no connection, or no permission to publish. */
    static final Duration PAUSE_FAILED = Duration.ofSeconds(10);

    /** The most invalidations that wait to be sent. */
    static final int MAX_PENDING = 1000;

    private final String sender;
    private final Function<String, CompletionStage<Boolean>> publish;
    private final BiConsumer<Runnable, Duration> schedule;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<Object, Invalidation> pending = new LinkedHashMap<>();
    private boolean pausing;
    private boolean closed;

    /**
     * Creates a sender without pending invalidations.
     *
     * @param publish publishes a message; completes with whether another instance has received it
     * @param schedule runs a task after a delay; once the engine is closed, it may drop the task: {@link #close} sends what is left
     */
    InvalidationSender(
            String sender,
            Function<String, CompletionStage<Boolean>> publish,
            BiConsumer<Runnable, Duration> schedule) {
        this.sender = sender;
        this.publish = publish;
        this.schedule = schedule;
    }

    /** Sends an invalidation immediately, or with others after the current pause. */
    void add(Invalidation invalidation) {
        lock.lock();
        try {
            if (closed) {
                return;
            }
            if (pending.size() < MAX_PENDING || pending.containsKey(invalidation.mergeKey())) {
                pending.merge(invalidation.mergeKey(), invalidation, Invalidation::merge);
            }
            if (pausing) {
                return;
            }
            pausing = true;
        } finally {
            lock.unlock();
        }
        sendNext();
    }

    /**
     * Accepts no more invalidations, and sends the pending ones without pauses. Completes when all are sent, or when no other instance has
     * received a message; then the remaining ones are dropped. Fails if a message fails.
     */
    CompletableFuture<?> close() {
        lock.lock();
        try {
            closed = true;
        } finally {
            lock.unlock();
        }
        return sendRest();
    }

    private CompletableFuture<?> sendRest() {
        String message;
        lock.lock();
        try {
            if (pending.isEmpty()) {
                return CompletableFuture.completedFuture(null);
            }
            message = InvalidationCodec.encode(sender, pending.values().iterator());
        } finally {
            lock.unlock();
        }
        return publish(message)
                .thenCompose(received -> received ? sendRest() : CompletableFuture.completedFuture(null))
                .toCompletableFuture();
    }

    private void sendNext() {
        String message;
        lock.lock();
        try {
            pausing = !pending.isEmpty() && !closed;
            if (!pausing) {
                return;
            }
            message = InvalidationCodec.encode(sender, pending.values().iterator());
        } finally {
            lock.unlock();
        }
        publish(message)
                .whenComplete((received, problem) ->
                        sendAfter(problem != null ? PAUSE_FAILED : received ? PAUSE : PAUSE_WITHOUT_RECEIVER));
    }

    /** Publishes a message. The result fails, too, if the message can't be sent. */
    private CompletionStage<Boolean> publish(String message) {
        try {
            return publish.apply(message);
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private void sendAfter(Duration pause) {
        try {
            schedule.accept(this::sendNext, pause);
        } catch (RuntimeException e) {
            // The scheduler is shut down. The next invalidation, if there is one, retries.
            lock.lock();
            try {
                pausing = false;
            } finally {
                lock.unlock();
            }
        }
    }
}

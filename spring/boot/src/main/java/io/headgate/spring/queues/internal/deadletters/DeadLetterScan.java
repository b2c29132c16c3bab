package io.headgate.spring.queues.internal.deadletters;

import io.headgate.queues.AsyncDeadLetters;
import io.headgate.queues.AsyncJobQueue;
import io.headgate.queues.DeadLetter;
import io.headgate.queues.Enqueued;
import io.headgate.queues.NewJob;
import io.headgate.queues.QueueException;
import io.headgate.queues.inspect.Cursor;
import io.headgate.queues.inspect.Page;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Lists dead letters page by page, and enqueues a notification for each one that has none yet. After the last page, it starts again, so
 * that it also finds dead letters whose notifications were lost. Safe for use by several threads: one page is read at a time.
 */
final class DeadLetterScan {

    /** The largest number of jobs with a key that one call enqueues. */
    private static final int PAGE = 200;

    private static final Duration INTERVAL = Duration.ofSeconds(1);
    private static final Duration NEXT_PAGE = Duration.ofMillis(100);

    private final String name;
    private final AsyncDeadLetters<byte[]> deadLetters;
    private final AsyncJobQueue<byte[]> notifications;
    private final Runnable onFound;
    private final LongSupplier nanoTime;
    private final AtomicBoolean running = new AtomicBoolean();
    private final AtomicReference<@Nullable QueueException> failure = new AtomicReference<>();

    private volatile Cursor from = Cursor.START;
    private volatile long nextNanos;

    /**
     * Creates a scan.
     *
     * @param name the dead letters, for messages
     * @param onFound called after notifications were enqueued
     */
    DeadLetterScan(
            String name,
            AsyncDeadLetters<byte[]> deadLetters,
            AsyncJobQueue<byte[]> notifications,
            Runnable onFound,
            LongSupplier nanoTime) {
        this.name = name;
        this.deadLetters = deadLetters;
        this.notifications = notifications;
        this.onFound = onFound;
        this.nanoTime = nanoTime;
        this.nextNanos = nanoTime.getAsLong();
    }

    /** Starts to read the next page if it is time for it, and no page is being read. */
    void startIfDue() {
        if (nextNanos - nanoTime.getAsLong() > 0 || !running.compareAndSet(false, true)) {
            return;
        }
        CompletableFuture.completedFuture(from)
                .thenCompose(start -> deadLetters.list(start, PAGE))
                .thenCompose(page -> notify(page).thenApply(found -> {
                    page.next()
                            .ifPresentOrElse(
                                    next -> continueAfter(next, NEXT_PAGE),
                                    () -> continueAfter(Cursor.START, INTERVAL));
                    return found;
                }))
                .whenComplete((found, problem) -> ended(problem == null && found, problem));
    }

    private void ended(boolean found, @Nullable Throwable problem) {
        if (problem != null) {
            failure.set(DeadLetterSettlements.failure("list", name, problem));
            continueAfter(Cursor.START, INTERVAL);
        }
        running.set(false);
        if (found) {
            onFound.run();
        }
    }

    /** Returns and forgets the failure of the last page, if it failed. */
    Optional<QueueException> takeFailure() {
        return Optional.ofNullable(failure.getAndSet(null));
    }

    private void continueAfter(Cursor cursor, Duration wait) {
        from = cursor;
        nextNanos = nanoTime.getAsLong() + wait.toNanos();
    }

    /** Enqueues notifications, and returns whether any of them is new. */
    private CompletionStage<Boolean> notify(Page<DeadLetter<byte[]>> page) {
        List<NewJob<byte[]>> jobs =
                page.items().stream().map(dead -> Notification.of(dead).job()).toList();
        return jobs.isEmpty()
                ? CompletableFuture.completedFuture(false)
                : notifications.enqueueAll(jobs).thenApply(all -> all.stream()
                        .anyMatch(one -> one.outcome() == Enqueued.Outcome.ADDED));
    }

    /** Returns the time until the next page, or until to look whether the current one is read, in microseconds. */
    long nextInMicros() {
        long nanos = running.get() ? NEXT_PAGE.toNanos() : nextNanos - nanoTime.getAsLong();
        return Math.max(0, nanos / 1000);
    }
}

package io.headgate.spring.queues.internal.deadletters;

import io.headgate.queues.AsyncJobQueue;
import io.headgate.queues.DeadLetter;
import io.headgate.queues.NewJob;
import io.headgate.queues.inspect.Cursor;
import io.headgate.queues.inspect.Page;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;

/**
 * Lists dead letters page by page, and enqueues a notification for each one that has none yet. After the last page, it starts again, so
 * that it also finds dead letters whose notifications were lost. Not safe for use by several threads at the same time.
 */
final class DeadLetterScan {

    /** The largest number of jobs with a key that one call enqueues. */
    private static final int PAGE = 200;

    private static final Duration INTERVAL = Duration.ofSeconds(1);
    private static final Duration NEXT_PAGE = Duration.ofMillis(100);

    private final DeadLetterStore store;
    private final AsyncJobQueue<byte[]> notifications;
    private final LongSupplier nanoTime;

    private volatile Cursor from = Cursor.START;
    private volatile long nextNanos;

    DeadLetterScan(DeadLetterStore store, AsyncJobQueue<byte[]> notifications, LongSupplier nanoTime) {
        this.store = store;
        this.notifications = notifications;
        this.nanoTime = nanoTime;
        this.nextNanos = nanoTime.getAsLong();
    }

    /** Reads the next page if it is time for it. The stage fails if a call fails; the scan then starts again later. */
    CompletionStage<Void> continueIfDue() {
        if (nextNanos - nanoTime.getAsLong() > 0) {
            return CompletableFuture.completedFuture(null);
        }
        Cursor start = from;
        continueAfter(Cursor.START, INTERVAL);
        return store.deadLetters().list(start, PAGE).thenCompose(page -> notify(page)
                .thenRun(() -> page.next().ifPresent(next -> continueAfter(next, NEXT_PAGE))));
    }

    private void continueAfter(Cursor cursor, Duration wait) {
        from = cursor;
        nextNanos = nanoTime.getAsLong() + wait.toNanos();
    }

    private CompletionStage<?> notify(Page<DeadLetter<byte[]>> page) {
        List<NewJob<byte[]>> jobs =
                page.items().stream().map(dead -> Notification.of(dead).job()).toList();
        return jobs.isEmpty() ? CompletableFuture.completedFuture(jobs) : notifications.enqueueAll(jobs);
    }

    /** Returns the time until the next page, in microseconds. */
    long nextInMicros() {
        return Math.max(0, (nextNanos - nanoTime.getAsLong()) / 1000);
    }
}

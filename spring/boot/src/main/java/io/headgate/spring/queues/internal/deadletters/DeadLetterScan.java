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

    /** The longest wait after the last page if no dead letter was new, in intervals; one for each 200 dead letters. */
    private static final int LONGEST_WAIT = 10;

    private final String name;
    private final AsyncDeadLetters<byte[]> deadLetters;
    private final AsyncJobQueue<byte[]> notifications;
    private final Runnable onFound;
    private final LongSupplier nanoTime;
    private final AtomicBoolean running = new AtomicBoolean();
    private final AtomicReference<@Nullable QueueException> failure = new AtomicReference<>();

    private volatile long nextNanos;

    // Guarded by running.
    private Cursor from = Cursor.START;
    private int parts;
    private boolean foundInCycle;

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

    /** Starts to list the next dead letters if it is time for it, and none are being listed; the stage completes when it has ended. */
    CompletionStage<?> startIfDue() {
        if (nextNanos - nanoTime.getAsLong() > 0 || !running.compareAndSet(false, true)) {
            return CompletableFuture.completedFuture(null);
        }
        return CompletableFuture.completedFuture(from)
                .thenCompose(start -> read(new Listed(0, false, Optional.of(start))))
                .handle(this::ended);
    }

    /**
     * What was listed since the last pause.
     *
     * @param count how many dead letters
     * @param found whether any of them had no notification
     * @param next where to continue; empty after the last one
     */
    private record Listed(int count, boolean found, Optional<Cursor> next) {}

    /** Reads pages, which are short if dead letters are large, until enough are listed. */
    private CompletionStage<Listed> read(Listed before) {
        return deadLetters
                .list(before.next().orElseThrow(), PAGE)
                .thenCompose(page -> notify(page)
                        .thenApply(found ->
                                new Listed(before.count() + page.items().size(), before.found() || found, page.next())))
                .thenCompose(listed -> listed.next().isEmpty() || listed.count() >= PAGE
                        ? CompletableFuture.completedFuture(listed)
                        : read(listed));
    }

    private @Nullable Void ended(@Nullable Listed listed, @Nullable Throwable problem) {
        boolean found = listed != null && listed.found();
        parts++;
        foundInCycle |= found;
        if (listed != null && listed.next().isPresent()) {
            continueAfter(listed.next().get(), NEXT_PAGE);
        } else {
            Duration wait = INTERVAL.multipliedBy(foundInCycle || listed == null ? 1 : Math.min(parts, LONGEST_WAIT));
            continueAfter(Cursor.START, wait);
            parts = 0;
            foundInCycle = false;
        }
        if (listed == null) {
            failure.set(DeadLetterSettlements.failure("list", name, problem));
        }
        running.set(false);
        if (found) {
            onFound.run();
        }
        return null;
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

package io.headgate.spring.queues.internal.deadletters;

import io.headgate.queues.AsyncDeadLetters;
import io.headgate.queues.AsyncJobQueue;
import io.headgate.queues.DeadLetterIds;
import io.headgate.queues.Enqueued;
import io.headgate.queues.NewJob;
import io.headgate.queues.QueueException;
import io.headgate.queues.inspect.Cursor;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Lists the ids of dead letters page by page, and enqueues a notification for each one that has none yet. After the last page, it starts
 * again, so that it also finds dead letters whose notifications were lost. If a shard fails, it continues with the next one. Safe for
 * use by several threads: one page is read at a time.
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
                .thenCompose(start -> read(new Listed(0, false, Optional.of(start), Optional.empty())))
                .handle(this::ended);
    }

    /**
     * What was listed since the last pause.
     *
     * @param count how many dead letters
     * @param found whether any of them had no notification
     * @param next where to continue; empty after the last one
     * @param failure the last failure of a shard, or of a call that enqueues notifications
     */
    private record Listed(int count, boolean found, Optional<Cursor> next, Optional<QueueException> failure) {

        Listed with(DeadLetterIds page, Notified notified) {
            return new Listed(
                    count + page.ids().size(),
                    found || notified.found(),
                    page.next(),
                    notified.failure().or(page::failure).or(() -> failure));
        }
    }

    /** The result of enqueuing the notifications of a page. */
    private record Notified(boolean found, Optional<QueueException> failure) {}

    /** Reads pages, which are short if dead letters are large or a shard fails, until enough are listed. */
    private CompletionStage<Listed> read(Listed before) {
        return deadLetters
                .ids(before.next().orElseThrow(), PAGE)
                .thenCompose(page -> notify(page).thenApply(notified -> before.with(page, notified)))
                .thenCompose(listed -> listed.next().isEmpty() || listed.count() >= PAGE
                        ? CompletableFuture.completedFuture(listed)
                        : read(listed));
    }

    private @Nullable Void ended(@Nullable Listed listed, @Nullable Throwable problem) {
        Listed part = listed != null
                ? listed
                : new Listed(0, false, Optional.empty(), Optional.of(failure("list", name, problem)));
        parts++;
        foundInCycle |= part.found();
        if (part.next().isPresent()) {
            continueAfter(part.next().get(), NEXT_PAGE);
        } else {
            boolean soon = foundInCycle || listed == null;
            continueAfter(Cursor.START, INTERVAL.multipliedBy(soon ? 1 : Math.min(parts, LONGEST_WAIT)));
            parts = 0;
            foundInCycle = false;
        }
        part.failure().ifPresent(failure::set);
        running.set(false);
        if (part.found()) {
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

    /** Enqueues notifications. If that fails, as a shard of their queue does, the dead letters of later pages still get theirs. */
    private CompletionStage<Notified> notify(DeadLetterIds page) {
        List<NewJob<byte[]>> jobs =
                page.ids().stream().map(id -> Notification.of(id).job()).toList();
        return jobs.isEmpty()
                ? CompletableFuture.completedFuture(new Notified(false, Optional.empty()))
                : notifications
                        .enqueueAll(jobs)
                        .thenApply(all -> new Notified(
                                all.stream().anyMatch(one -> one.outcome() == Enqueued.Outcome.ADDED),
                                Optional.empty()))
                        .exceptionally(problem -> new Notified(false, Optional.of(failure("notify", name, problem))));
    }

    /** Returns the cause as a {@link QueueException}; wraps an exception of another class. */
    private static QueueException failure(String operation, String key, @Nullable Throwable problem) {
        Throwable cause =
                problem instanceof CompletionException && problem.getCause() != null ? problem.getCause() : problem;
        return cause instanceof QueueException known
                ? known
                : new QueueException(operation, key, String.valueOf(cause), true, cause);
    }

    /** Returns the time until the next page, or until to look whether the current one is read, in microseconds. */
    long nextInMicros() {
        long nanos = running.get() ? NEXT_PAGE.toNanos() : nextNanos - nanoTime.getAsLong();
        return Math.max(0, nanos / 1000);
    }
}

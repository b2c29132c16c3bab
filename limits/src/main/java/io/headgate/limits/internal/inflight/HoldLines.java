package io.headgate.limits.internal.inflight;

import io.headgate.limits.Hold;
import io.headgate.limits.internal.Causes;
import io.headgate.limits.internal.waiting.TimedWait;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The requests of an engine that wait for holds: a first-in-first-out line for each set of {@linkplain HoldStore places}. Only the first
 * request of a line makes attempts to acquire its hold. A ban ends its wait. After another denial, it sleeps until permits are released or a lease expires in a
 * place that denied it, but at most for a second, because the message about a release by another process may be lost. A release wakes as
 * many requests as it may allow, in order of arrival; a woken request that can't use the permits wakes the next one.
 *
 * <p>Safe for use by several threads. No attempt is made under the lock.
 */
final class HoldLines {

    /** The most waiting requests. A further request receives the last denial of its line; if it is the first one, it makes one attempt. */
    static final int MOST_WAITING = 10_000;

    /** The longest sleep of the first request of a line, except in tests. */
    static final long LONGEST_SLEEP_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Consumer<String> onWaiting;
    private final long longestSleepNanos;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<List<String>, HoldLine> lines = new HashMap<>();
    private final Set<HoldLine> attempting = new HashSet<>();

    /** The lines whose first request sleeps, by the places whose release wakes it, in order of the request's arrival. */
    private final Map<String, TreeMap<Long, HoldLine>> asleep = new HashMap<>();

    private long arrived;
    private final AtomicInteger waiting = new AtomicInteger();

    /**
     * Creates an instance without waiting requests.
     *
     * @param onWaiting receives the name of a policy when a request waits for it, possibly repeatedly; must not block
     * @param longestSleepNanos the longest sleep of the first request of a line
     */
    HoldLines(Consumer<String> onWaiting, long longestSleepNanos) {
        this.onWaiting = onWaiting;
        this.longestSleepNanos = longestSleepNanos;
    }

    int waiting() {
        return waiting.get();
    }

    /** Adds a request to the end of its line. */
    void enter(HoldWait wait) {
        HoldLine line;
        boolean first;
        lock.lock();
        try {
            line = lines.computeIfAbsent(wait.places, HoldLine::new);
            first = line.waits.isEmpty();
            if (!first && line.lastDenial != null && waiting.get() >= MOST_WAITING) {
                wait.complete(line.lastDenial);
                return;
            }
            wait.number = ++arrived;
            line.waits.add(wait);
            waiting.incrementAndGet();
        } finally {
            lock.unlock();
        }
        wait.whenComplete((hold, problem) -> leave(line, wait));
        if (first) {
            attempt(line, wait, null);
        } else {
            wait.runAtDeadline(() -> expire(line, wait));
        }
    }

    /** Ends a wait at its deadline if it is not the first of its line; the first one ends with the result of its attempt. */
    private void expire(HoldLine line, HoldWait wait) {
        DeniedHold denial;
        lock.lock();
        try {
            denial = line.waits.peek() == wait ? null : line.lastDenial;
        } finally {
            lock.unlock();
        }
        if (denial != null) {
            wait.complete(denial);
        }
    }

    /**
     * Makes an attempt for the first request of a line.
     *
     * @param wokenFor the place of the release that caused the attempt; null if none did
     */
    private void attempt(HoldLine line, HoldWait wait, @Nullable String wokenFor) {
        boolean begins;
        lock.lock();
        try {
            begins = line.waits.peek() == wait && !attempting.contains(line) && wait.beginAttempt();
            if (begins) {
                wakeUp(line);
                attempting.add(line);
                line.changed = false;
            }
        } finally {
            lock.unlock();
        }
        if (!begins) {
            wakeNext(wokenFor, wait);
            return;
        }
        try {
            wait.attempt.get().whenComplete((hold, problem) -> onResult(line, wait, wokenFor, hold, problem));
        } catch (RuntimeException | Error e) {
            // Errors too: otherwise the line would stop.
            onResult(line, wait, wokenFor, null, e);
        }
    }

    private void onResult(
            HoldLine line, HoldWait wait, @Nullable String wokenFor, @Nullable Hold hold, @Nullable Throwable problem) {
        // Whether the release that woke this request needs to wake no further one.
        boolean served = false;
        if (hold instanceof DeniedHold denial && denial.ban().isEmpty()) {
            denied(line, wait, denial);
            // Not even one permit is free in that place, so no other request could use it.
            served = wokenFor != null && denial.full().contains(wokenFor) && wait.permits == 1;
        } else {
            endAttempt(line, wait);
            if (hold == null) {
                wait.completeExceptionally(Causes.of(problem));
            } else {
                if (!wait.complete(hold)) {
                    // The wait has ended; the release of the hold wakes other requests.
                    hold.close();
                }
                served = hold.allowed();
            }
        }
        if (wait.isDone()) {
            leave(line, wait);
        }
        if (!served) {
            wakeNext(wokenFor, wait);
        }
    }

    private void endAttempt(HoldLine line, HoldWait wait) {
        lock.lock();
        try {
            attempting.remove(line);
            wait.endAttempt();
        } finally {
            lock.unlock();
        }
    }

    private void denied(HoldLine line, HoldWait wait, DeniedHold denial) {
        List<HoldWait> over = new ArrayList<>();
        lock.lock();
        try {
            line.lastDenial = denial;
            line.waits.stream().filter(it -> it.nanosLeft() <= 0).forEach(over::add);
            endAttempt(line, wait);
            if (wait.nanosLeft() > 0 && waiting.get() > MOST_WAITING) {
                over.add(wait);
            } else if (wait.nanosLeft() > 0 && !wait.isDone()) {
                sleep(line, wait, denial);
            }
        } finally {
            lock.unlock();
        }
        over.forEach(it -> it.complete(denial));
        onWaiting.accept(wait.policy);
    }

    private void sleep(HoldLine line, HoldWait wait, DeniedHold denial) {
        line.asleepFor = denial.full();
        line.asleepAs = wait.number;
        line.asleepFor.forEach(
                place -> asleep.computeIfAbsent(place, any -> new TreeMap<>()).put(wait.number, line));
        // A change during the attempt may have followed the denial, so retry immediately.
        long nanos = line.changed ? 0 : Math.min(longestSleepNanos, denial.nextExpiryNanos());
        // The last attempt is at the deadline, because permits may be free by then.
        wait.runLater(() -> attempt(line, wait, null), Math.min(nanos, wait.nanosLeft()));
    }

    private void wakeUp(HoldLine line) {
        line.asleepFor.forEach(place -> asleep.computeIfPresent(place, (any, sleeping) -> {
            sleeping.remove(line.asleepAs, line);
            return sleeping.isEmpty() ? null : sleeping;
        }));
        line.asleepFor = List.of();
    }

    /** Wakes as many sleeping requests as permits that were released in a place may allow. */
    void freed(String place, long permits) {
        if (waiting.get() == 0) {
            return;
        }
        lock.lock();
        try {
            attempting.stream().filter(line -> line.places.contains(place)).forEach(line -> line.changed = true);
        } finally {
            lock.unlock();
        }
        wake(place, permits, 0);
    }

    private void wakeNext(@Nullable String place, HoldWait from) {
        if (place != null) {
            wake(place, 1, from.number);
        }
    }

    /** Wakes up to {@code most} requests that sleep for a place and arrived after {@code behind}; 0 for all of them. */
    private void wake(String place, long most, long behind) {
        List<HoldLine> woken;
        lock.lock();
        try {
            TreeMap<Long, HoldLine> sleeping = asleep.getOrDefault(place, new TreeMap<>());
            woken = sleeping.tailMap(behind, false).values().stream()
                    .limit(most)
                    .toList();
            woken.forEach(line -> attemptSoon(line, place));
        } finally {
            lock.unlock();
        }
    }

    /** Wakes the first request of every line of an updated policy. */
    void policyChanged(String policy) {
        wakeFirst(first -> first.policy.equals(policy));
    }

    /** Wakes the first request of every line. */
    void wakeAll() {
        wakeFirst(first -> true);
    }

    /** Wakes the first request of every line if it matches. */
    private void wakeFirst(Predicate<HoldWait> matching) {
        lock.lock();
        try {
            for (HoldLine line : lines.values()) {
                HoldWait first = line.waits.peek();
                if (first != null && matching.test(first)) {
                    line.changed = true;
                    attemptSoon(line, null);
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /** Makes an attempt for the first request of a line, on another thread. */
    private void attemptSoon(HoldLine line, @Nullable String wokenFor) {
        wakeUp(line);
        HoldWait first = line.waits.peek();
        if (first != null) {
            TimedWait.TIMER.execute(() -> attempt(line, first, wokenFor));
        }
    }

    /** Removes a wait that is over, and makes an attempt for the next one. A wait with an attempt in flight stays until the result. */
    private void leave(HoldLine line, HoldWait wait) {
        lock.lock();
        try {
            boolean first = line.waits.peek() == wait;
            if (wait.isAttempting() || !line.waits.remove(wait)) {
                return;
            }
            waiting.decrementAndGet();
            if (first) {
                wakeUp(line);
            }
            if (line.waits.isEmpty()) {
                lines.remove(line.places, line);
            } else if (first) {
                attemptSoon(line, null);
            }
        } finally {
            lock.unlock();
        }
    }
}

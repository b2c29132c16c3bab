package io.headgate.limits.internal;

import io.headgate.limits.Hold;
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
 * Those who wait for places in one engine: a line for each set of places, in order of arrival, of which only the first asks. After
 * a denial it sleeps until something is given back where it was denied, a lease ends there, or a second has passed, as what
 * other processes give back may not be heard. When a place is given back, as many are woken as may be served, those first who came
 * first; whoever can't use it hands on to the next.
 */
final class HoldLines {

    /** How many may wait; who comes beyond them is told what the last one was. */
    static final int MOST_WAITING = 10_000;

    /** How long the first of a line sleeps at most, but in tests. */
    static final long LONGEST_SLEEP_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Consumer<String> onWaiting;
    private final long longestSleepNanos;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<List<String>, HoldLine> lines = new HashMap<>();
    private final Set<HoldLine> asking = new HashSet<>();

    /** Lines whose firsts sleep, by what they sleep for, in the order in which those came. */
    private final Map<String, TreeMap<Long, HoldLine>> asleep = new HashMap<>();

    private long arrived;
    private final AtomicInteger waiting = new AtomicInteger();

    /**
     * Empty lines.
     *
     * @param onWaiting is told of the policies for which somebody waits, again and again; must not block
     * @param longestSleepNanos how long the first of a line sleeps at most
     */
    HoldLines(Consumer<String> onWaiting, long longestSleepNanos) {
        this.onWaiting = onWaiting;
        this.longestSleepNanos = longestSleepNanos;
    }

    /** Lets one wait, behind those who wait for the same. */
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
            ask(line, wait, null);
        } else {
            wait.doAtDeadline(() -> giveUp(line, wait));
        }
    }

    /** Ends the wait of one whose turn never came; if the first is just asking, its answer does. */
    private void giveUp(HoldLine line, HoldWait wait) {
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
     * Lets the first of a line ask.
     *
     * @param wokenFor the place in which something was given back, if that is why
     */
    private void ask(HoldLine line, HoldWait wait, @Nullable String wokenFor) {
        boolean asks;
        lock.lock();
        try {
            asks = line.waits.peek() == wait && !asking.contains(line) && wait.beginAsking();
            if (asks) {
                wakeUp(line);
                asking.add(line);
                line.changed = false;
            }
        } finally {
            lock.unlock();
        }
        if (!asks) {
            handOn(wokenFor, wait);
            return;
        }
        try {
            wait.asking.get().whenComplete((hold, problem) -> answered(line, wait, wokenFor, hold, problem));
        } catch (RuntimeException | Error e) {
            // Also an error: nobody else would let the next one ask.
            answered(line, wait, wokenFor, null, e);
        }
    }

    private void answered(
            HoldLine line, HoldWait wait, @Nullable String wokenFor, @Nullable Hold hold, @Nullable Throwable problem) {
        boolean served = false;
        if (hold instanceof DeniedHold denial) {
            denied(line, wait, denial);
            served = wokenFor != null && denial.full().contains(wokenFor) && wait.permits == 1;
        } else {
            endAsking(line, wait);
            if (hold == null) {
                wait.completeExceptionally(Causes.of(problem));
            } else if (wait.complete(hold)) {
                served = true;
            } else {
                // Which wakes others.
                hold.close();
                served = true;
            }
        }
        if (wait.isDone()) {
            leave(line, wait);
        }
        if (!served) {
            handOn(wokenFor, wait);
        }
    }

    private void endAsking(HoldLine line, HoldWait wait) {
        lock.lock();
        try {
            asking.remove(line);
            wait.endAsking();
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
            endAsking(line, wait);
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
        // What has changed meanwhile may have changed after it was denied.
        long nanos = line.changed ? 0 : Math.min(longestSleepNanos, denial.nextExpiryNanos());
        // Once more when its time is over, as that costs less than to be wrong.
        wait.doLater(() -> ask(line, wait, null), Math.min(nanos, wait.nanosLeft()));
    }

    private void wakeUp(HoldLine line) {
        line.asleepFor.forEach(place -> asleep.computeIfPresent(place, (any, sleeping) -> {
            sleeping.remove(line.asleepAs, line);
            return sleeping.isEmpty() ? null : sleeping;
        }));
        line.asleepFor = List.of();
    }

    /** Wakes as many of those who sleep for a place as may be served there. */
    void freed(String place, long permits) {
        if (waiting.get() == 0) {
            return;
        }
        lock.lock();
        try {
            asking.stream().filter(line -> line.places.contains(place)).forEach(line -> line.changed = true);
        } finally {
            lock.unlock();
        }
        wake(place, permits, 0);
    }

    private void handOn(@Nullable String place, HoldWait from) {
        if (place != null) {
            wake(place, 1, from.number);
        }
    }

    private void wake(String place, long most, long behind) {
        List<HoldLine> woken;
        lock.lock();
        try {
            TreeMap<Long, HoldLine> sleeping = asleep.getOrDefault(place, new TreeMap<>());
            woken = sleeping.tailMap(behind, false).values().stream()
                    .limit(most)
                    .toList();
            woken.forEach(line -> askSoon(line, place));
        } finally {
            lock.unlock();
        }
    }

    /** Wakes all who wait under a policy, as other limits hold. */
    void policyChanged(String policy) {
        wakeFirst(first -> first.policy.equals(policy));
    }

    /** Wakes the first of every line. */
    void wakeAll() {
        wakeFirst(first -> true);
    }

    /** Wakes the first of every line where it matches. */
    private void wakeFirst(Predicate<HoldWait> matching) {
        lock.lock();
        try {
            for (HoldLine line : lines.values()) {
                HoldWait first = line.waits.peek();
                if (first != null && matching.test(first)) {
                    line.changed = true;
                    askSoon(line, null);
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /** Has the first of a line ask, on another thread. */
    private void askSoon(HoldLine line, @Nullable String wokenFor) {
        wakeUp(line);
        HoldWait first = line.waits.peek();
        if (first != null) {
            TimedWait.TIMER.execute(() -> ask(line, first, wokenFor));
        }
    }

    /** Takes one who is done out of the line, and lets the next one ask. One that is asking stays until the answer. */
    private void leave(HoldLine line, HoldWait wait) {
        lock.lock();
        try {
            boolean first = line.waits.peek() == wait;
            if (wait.isAsking() || !line.waits.remove(wait)) {
                return;
            }
            waiting.decrementAndGet();
            if (first) {
                wakeUp(line);
            }
            if (line.waits.isEmpty()) {
                lines.remove(line.places, line);
            } else if (first) {
                askSoon(line, null);
            }
        } finally {
            lock.unlock();
        }
    }
}

package io.headgate.limits.hotkeys;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Policy;
import io.headgate.limits.Rule;
import io.headgate.limits.internal.BoundedId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Counts the most requested and denied keys of one policy, in the current minute and the one before. Under high traffic it samples
 * decisions, so that the cost stays negligible. The sample is random, so that clients with periodic requests are not missed. Safe for
 * use by several threads.
 */
final class PolicyKeys {

    private static final long MINUTE_MICROS = TimeUnit.MINUTES.toMicros(1);

    /** The length of a tick, after which the sampling rate may be raised: 2 to this power of microseconds, or 262 ms. */
    private static final int TICK_SHIFT = 18;

    /** How many decisions are counted in a tick before the sampling rate is halved. */
    private static final int MOST_IN_TICK = 256;

    private static final int MAX_MASK = (1 << 16) - 1;

    /** How many ticks a decision may be late: concurrent threads may report their decisions in another order. */
    private static final int TICKS_OF_DISORDER = 8;

    private final String policy;
    private final int counters;
    private final ReentrantLock counting = new ReentrantLock();
    private volatile long tick = -1;

    /** One in {@code mask + 1} decisions is counted. */
    private volatile int mask;

    private boolean dropped;
    private int countedInTick;
    private @Nullable Minute current;
    private @Nullable Minute previous;

    PolicyKeys(String policy, int counters) {
        this.policy = policy;
        this.counters = counters;
    }

    private record Key(String rule, List<String> ids) {}

    /** The counts of one minute. */
    private static final class Minute {

        private final long number;
        private final SpaceSaving<Key> requested;
        private final SpaceSaving<Key> denied;
        private long requestedTotal;
        private long deniedTotal;
        private int oneIn = 1;

        Minute(long number, int counters, int rules) {
            this.number = number;
            this.requested = new SpaceSaving<>(counters * rules);
            this.denied = new SpaceSaving<>(counters);
        }
    }

    /** Returns the number of the minute of a time, counted from 1970. */
    static long minute(long atMicros) {
        return Math.floorDiv(atMicros, MINUTE_MICROS);
    }

    /** How many decisions a decision at that time represents; 0 if it is not sampled. */
    int weightAt(long atMicros) {
        if (atMicros >> TICK_SHIFT != tick) {
            tick(atMicros >> TICK_SHIFT);
        }
        int now = mask;
        return now == 0 || (ThreadLocalRandom.current().nextInt() & now) == 0 ? now + 1 : 0;
    }

    private void tick(long now) {
        counting.lock();
        try {
            long before = tick;
            if (before - TICKS_OF_DISORDER < now && now <= before) {
                return;
            }
            // The sampling rate doubles for each tick without requests, and once more if the last tick counted few.
            // After a jump of the time, every decision is counted.
            boolean near = now > before && now - before < Integer.SIZE;
            int shift = (int) (near ? now - before - 1 : Integer.SIZE - 1) + (countedInTick < MOST_IN_TICK / 4 ? 1 : 0);
            mask = shift >= Integer.SIZE ? 0 : mask >> shift;
            countedInTick = 0;
            tick = now;
        } finally {
            counting.unlock();
        }
    }

    /**
     * Counts a request, and its denial. Returns false, and counts nothing, if these counters were dropped to make room for another policy.
     */
    boolean count(Policy policy, Attributes attributes, Decision decision, long atMicros, int weight) {
        List<Key> requested = new ArrayList<>(2);
        for (Rule rule : policy.rules()) {
            if (!rule.dimensions().isEmpty()) {
                requested.add(key(rule, attributes));
            }
        }
        Key denied = decision.deniedBy()
                .map(rule -> key(policy.rule(rule), attributes))
                .orElse(null);
        counting.lock();
        try {
            if (dropped) {
                return false;
            }
            Minute minute = of(minute(atMicros), Math.max(1, requested.size()));
            minute.requestedTotal += weight;
            minute.oneIn = Math.max(minute.oneIn, weight);
            requested.forEach(key -> minute.requested.add(key, weight));
            if (denied != null) {
                minute.deniedTotal += weight;
                minute.denied.add(denied, weight);
            }
            if (++countedInTick > MOST_IN_TICK && mask < MAX_MASK) {
                mask = 2 * mask + 1;
                countedInTick = 0;
            }
            return true;
        } finally {
            counting.unlock();
        }
    }

    private static Key key(Rule rule, Attributes attributes) {
        List<String> ids = attributes.idsOf(rule);
        return new Key(
                rule.name(),
                ids.size() == 1
                        ? List.of(BoundedId.of(ids.get(0)))
                        : ids.stream().map(BoundedId::of).toList());
    }

    /**
     * Returns the counts of a minute. A new minute replaces the older of the two; a late decision may create the previous minute. If the
     * time moved by more than a minute, the new minute replaces both.
     */
    private Minute of(long number, int rules) {
        Minute latest = current;
        if (latest != null && latest.number == number) {
            return latest;
        }
        Minute before = previous;
        if (before != null && before.number == number) {
            return before;
        }
        Minute minute = new Minute(number, counters, rules);
        if (latest != null && number == latest.number - 1) {
            previous = minute;
        } else {
            previous = latest != null && latest.number == number - 1 ? latest : null;
            current = minute;
        }
        return minute;
    }

    /** Whether these are the counters of a policy. Compares the names by identity: usually they are the same object. */
    @SuppressWarnings("ReferenceEquality")
    boolean isOf(Policy requested) {
        return policy == requested.name();
    }

    /** Drops these counters if they counted nothing in this minute and the one before; returns whether they are dropped. */
    boolean dropIfOver(long minute) {
        counting.lock();
        try {
            dropped = current == null || Math.abs(minute - current.number) > 1;
            return dropped;
        } finally {
            counting.unlock();
        }
    }

    /** Returns the counts of each minute, the older first. */
    List<TopKeys> minutes() {
        counting.lock();
        try {
            List<TopKeys> minutes = new ArrayList<>();
            for (Minute minute : new @Nullable Minute[] {previous, current}) {
                if (minute != null) {
                    minutes.add(new TopKeys(
                            policy,
                            Instant.ofEpochSecond(minute.number * 60),
                            counts(minute.requestedTotal, minute.requested),
                            counts(minute.deniedTotal, minute.denied),
                            minute.oneIn));
                }
            }
            return minutes;
        } finally {
            counting.unlock();
        }
    }

    private static KeyCounts counts(long total, SpaceSaving<Key> sketch) {
        return new KeyCounts(
                total,
                sketch.unlisted(),
                sketch.counters().stream()
                        .map(one -> new HotKey(one.key().rule(), one.key().ids(), one.count(), one.error()))
                        .toList());
    }

    /** The number of stored keys. */
    int size() {
        counting.lock();
        try {
            return sizeOf(current) + sizeOf(previous);
        } finally {
            counting.unlock();
        }
    }

    private static int sizeOf(@Nullable Minute minute) {
        return minute == null ? 0 : minute.requested.size() + minute.denied.size();
    }
}

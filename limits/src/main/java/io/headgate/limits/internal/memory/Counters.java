package io.headgate.limits.internal.memory;

import io.headgate.limits.internal.EngineState;
import io.headgate.limits.internal.algorithm.Counter;
import io.headgate.limits.internal.memory.RuleTable.Place;
import java.util.Collections;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * All counters of an engine in memory, in bounded number. Adding a key samples a
 * few others and evicts those whose counts no longer matter. If the engine is full and all of them matter, it evicts the
 * one that matters for the shortest time. Every other sampled key is of the same rule, so a flood of ids makes
 * its own room, and the rest are of all rules by turns.
 *
 * <p>They are found without a lock, in the table of their rule. They are added and removed under a lock of the whole
 * engine. A thread that removes one holds the lock of that counter first; under the engine's lock, locks of counters are only
 * tried, so no key that is new ever waits for one that is being decided.
 */
public final class Counters {

    /** Below this many keys nothing is removed. */
    private static final int SMALL = 1024;

    /** How many keys are sampled for each one that is added: more than one, so that eviction keeps up with a flood. */
    private static final int SAMPLED = 4;

    /** How many keys are sampled in a full engine before one that still matters is evicted. */
    private static final int SAMPLED_WHEN_FULL = 16;

    /** How long a count that no longer matters is kept, as in Redis. */
    private static final long REST_MICROS = 60_000_000;

    /** The keys for each record of a refund. */
    private static final int KEYS_PER_REFUND = 10;

    /** The tables of all rules that have counters. */
    private final Map<RuleId, RuleTable> tables = new ConcurrentHashMap<>();

    private final RefundRecords refunds;
    private final ReentrantLock changing = new ReentrantLock();
    private final int maxKeys;
    private Iterator<RuleTable> round = Collections.emptyIterator();

    /** Changed under the lock. */
    private final AtomicInteger size = new AtomicInteger();

    private final EngineState state;

    /** Counters of an engine that is never closed. */
    public Counters(int maxKeys) {
        this(maxKeys, new EngineState(() -> "counters"));
    }

    /**
     * The counters of an engine.
     *
     * @param state the state of the engine, which rejects calls after it is closed
     */
    public Counters(int maxKeys, EngineState state) {
        this.maxKeys = maxKeys;
        this.state = state;
        this.refunds = new RefundRecords(maxKeys / KEYS_PER_REFUND);
    }

    /** The state of the engine. */
    EngineState state() {
        return state;
    }

    /** The number of counters. */
    public long size() {
        return size.get();
    }

    /** The records of refunds: up to a tenth of the number of keys. */
    RefundRecords refunds() {
        return refunds;
    }

    /** Removes all counters and records of refunds, after the state was closed. */
    public void clear() {
        changing.lock();
        try {
            tables.values().forEach(table -> table.counters.clear());
            tables.clear();
            size.set(0);
            refunds.clear();
        } finally {
            changing.unlock();
        }
    }

    /** The rule's counters by id. They are in this map until it is empty; then the rule may get another one. */
    @Nullable
    Map<String, Counter> ofRule(RuleId rule) {
        state.requireOpen();
        RuleTable table = tables.get(rule);
        return table == null ? null : table.counters;
    }

    /** Returns the counter, which is added if it is missing. */
    Counter add(RuleId rule, String id, Supplier<? extends Counter> start, long nowMicros) {
        changing.lock();
        try {
            Map<String, Counter> present = ofRule(rule);
            Counter counter = present == null ? null : present.get(id);
            if (counter != null) {
                return counter;
            }
            if (size.get() >= SMALL) {
                makeRoom(tables.get(rule), nowMicros);
            }
            counter = start.get();
            tables.computeIfAbsent(rule, RuleTable::new).counters.put(id, counter);
            size.incrementAndGet();
            return counter;
        } finally {
            changing.unlock();
        }
    }

    /** Removes the counter; returns whether it had a count, as one that only denied is empty. */
    boolean remove(RuleId rule, String id) {
        Map<String, Counter> table = ofRule(rule);
        Counter counter = table == null ? null : table.get(id);
        if (counter == null || !counter.lock()) {
            return false;
        }
        boolean counted = counter.quietAtMicros > 0;
        removeLocked(rule, id, counter);
        return counted;
    }

    private void makeRoom(@Nullable RuleTable own, long nowMicros) {
        Place leastMissed = null;
        long leastMicros = Long.MAX_VALUE;
        for (int i = 0; i < SAMPLED || (isFull() && i < SAMPLED_WHEN_FULL); i++) {
            Place ofOwn = own == null || i % 2 == 1 ? null : own.next();
            Place place = ofOwn == null ? next() : ofOwn;
            if (!place.counter().tryLock()) {
                continue; // It is in use.
            }
            long quietAtMicros = place.counter().quietAtMicros;
            if (quietAtMicros + REST_MICROS <= nowMicros) {
                removeLocked(place);
                continue;
            }
            place.counter().unlock();
            if (quietAtMicros < leastMicros) {
                leastMicros = quietAtMicros;
                leastMissed = place;
            }
        }
        while (isFull()) {
            Place place = leastMissed == null ? next() : leastMissed;
            if (place.counter().tryLock()) {
                removeLocked(place);
            }
            leastMissed = null; // Only where other threads use all sampled keys, any other one is evicted.
        }
    }

    private boolean isFull() {
        return size.get() >= maxKeys;
    }

    /** The next counter of the next rule; there must be one. */
    private Place next() {
        while (true) {
            if (!round.hasNext()) {
                round = tables.values().iterator();
            }
            Place place = round.next().next();
            if (place != null) {
                return place;
            }
        }
    }

    private void removeLocked(Place place) {
        removeLocked(place.table().rule, place.id(), place.counter());
    }

    /** One that can be locked is in its table: it leaves both at once. */
    void removeLocked(RuleId rule, String id, Counter counter) {
        changing.lock();
        try {
            RuleTable table = tables.get(rule);
            if (table != null && table.counters.remove(id, counter)) {
                size.decrementAndGet();
                if (table.counters.isEmpty()) {
                    tables.remove(rule);
                }
            }
        } finally {
            changing.unlock();
        }
        counter.unlockAsGone();
    }
}

package io.headgate.limits.internal.memory;

import io.headgate.limits.internal.EngineState;
import io.headgate.limits.internal.algorithm.Counter;
import io.headgate.limits.internal.memory.RuleTable.StoredCounter;
import java.util.Collections;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * All counters of an engine in memory, up to a maximum number. Adding a key samples a few others, and evicts those whose counts have had
 * no effect for a minute. If the engine is full and all sampled counts still have an effect, it evicts the one that expires first. Half of
 * the sampled keys belong to the rule of the new key, so a flood of ids mainly evicts its own keys. The others are taken from all rules in
 * turn.
 *
 * <p>Counters are found without a lock, in the table of their rule. They are added and removed under a lock of the whole engine. A thread
 * that removes a counter takes the lock of that counter first; only {@link #clear}, after the engine was closed, does not. A thread that
 * holds the engine's lock only tries the locks of counters, so a new key never waits for a decision on another key.
 */
public final class Counters {

    /** Below this number of keys, none is evicted. */
    private static final int SMALL = 1024;

    /** How many keys are sampled for each one that is added: more than one, so that eviction keeps up with a flood. */
    private static final int SAMPLED = 4;

    /** How many keys are sampled in a full engine before one that still matters is evicted. */
    private static final int SAMPLED_WHEN_FULL = 16;

    /** How long a count is kept after it has expired, as in Redis. */
    private static final long REST_MICROS = 60_000_000;

    /** The engine keeps at most one record of a refund for this number of its maximum keys. */
    private static final int KEYS_PER_REFUND = 10;

    /** The tables of all rules that have counters. */
    private final Map<RuleId, RuleTable> tables = new ConcurrentHashMap<>();

    private final RefundRecords refunds;
    private final ReentrantLock changing = new ReentrantLock();
    private final int maxKeys;
    private Iterator<RuleTable> round = Collections.emptyIterator();

    /** The number of counters; changed under the lock. */
    private final AtomicInteger size = new AtomicInteger();

    private final EngineState state;

    /** Creates the counters of an engine that is never closed. */
    public Counters(int maxKeys) {
        this(maxKeys, new EngineState(() -> "counters"));
    }

    /**
     * Creates the counters of an engine.
     *
     * @param maxKeys the maximum number of keys, enforced from {@value #SMALL} keys on
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

    /** The records of refunds, up to a tenth of the maximum number of keys. */
    RefundRecords refunds() {
        return refunds;
    }

    /** Removes all counters and records of refunds; the state must be closed first. */
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

    /**
     * Returns the counters of a rule by id, or null. A caller may keep the map: after its last counter is removed, it stays empty, and the
     * rule's next counter is in a new map.
     */
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

    /** Removes a counter; returns whether it had a count or a ban. A counter that only denied requests has none. */
    boolean remove(RuleId rule, String id) {
        Map<String, Counter> table = ofRule(rule);
        Counter counter = table == null ? null : table.get(id);
        if (counter == null || !counter.lock()) {
            return false;
        }
        boolean counted = counter.deniesUntilMicros() > 0;
        removeLocked(rule, id, counter);
        return counted;
    }

    private void makeRoom(@Nullable RuleTable own, long nowMicros) {
        StoredCounter candidate = null;
        long candidateMicros = Long.MAX_VALUE;
        for (int i = 0; i < SAMPLED || (isFull() && i < SAMPLED_WHEN_FULL); i++) {
            StoredCounter ofOwn = own == null || i % 2 == 1 ? null : own.next();
            StoredCounter stored = ofOwn == null ? next() : ofOwn;
            if (!stored.counter().tryLock()) {
                continue; // Another thread uses it.
            }
            long deniesUntilMicros = stored.counter().deniesUntilMicros();
            if (stored.counter().usedUntilMicros() + REST_MICROS <= nowMicros) {
                removeLocked(stored);
                continue;
            }
            stored.counter().unlock();
            if (deniesUntilMicros < candidateMicros) {
                candidateMicros = deniesUntilMicros;
                candidate = stored;
            }
        }
        while (isFull()) {
            StoredCounter stored = candidate == null ? next() : candidate;
            if (stored.counter().tryLock()) {
                removeLocked(stored);
            }
            candidate = null; // If its lock is held, evict any other key.
        }
    }

    private boolean isFull() {
        return size.get() >= maxKeys;
    }

    /** Returns the next counter of the next rule, in turn; there must be at least one counter. */
    private StoredCounter next() {
        while (true) {
            if (!round.hasNext()) {
                round = tables.values().iterator();
            }
            StoredCounter stored = round.next().next();
            if (stored != null) {
                return stored;
            }
        }
    }

    private void removeLocked(StoredCounter stored) {
        removeLocked(stored.table().rule, stored.id(), stored.counter());
    }

    /** Removes a counter that this thread has locked, from its table and from the engine. */
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
        counter.unlockAsEvicted();
    }
}

package io.headgate.limits.internal;

import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The counters of one rule by id. It stays small by itself: whoever adds a key looks at a few others and removes those
 * whose counts no longer matter, and when the table is full the one of them that matters for the shortest time.
 */
final class CounterTable<S> {

    private static final AtomicLong ORDER = new AtomicLong();

    /** Below this many keys nothing is removed. */
    private static final int SMALL = 1024;

    /** How many keys are looked at for each one that is added: more than one, so that a flood is caught up with. */
    private static final int LOOKED_AT = 4;

    /** How long a count that no longer matters is kept, as on Redis. */
    private static final long REST_MICROS = 60_000_000;

    private final ConcurrentHashMap<Object, Counter<S>> counters = new ConcurrentHashMap<>();
    private final ReentrantLock sweeping = new ReentrantLock();
    private final int maxKeys;
    private Iterator<Map.Entry<Object, Counter<S>>> sweep = counters.entrySet().iterator();

    CounterTable(int maxKeys) {
        this.maxKeys = maxKeys;
    }

    Counter<S> counter(Object id, Algorithm<S> algorithm, long nowMicros) {
        Counter<S> counter = counters.get(id);
        if (counter != null) {
            return counter;
        }
        if (counters.mappingCount() >= SMALL) {
            makeRoom(nowMicros);
        }
        return counters.computeIfAbsent(id, ignored -> new Counter<>(ORDER.getAndIncrement(), algorithm.start()));
    }

    Counter<S> find(Object id, Algorithm<S> algorithm) {
        Counter<S> counter = counters.get(id);
        return counter == null ? new Counter<>(ORDER.getAndIncrement(), algorithm.start()) : counter;
    }

    /** Removes the counter; true when something was counted, since one that only denied is empty. */
    boolean remove(Object id) {
        Counter<S> counter = counters.get(id);
        if (counter == null) {
            return false;
        }
        evict(id, counter);
        return quietAt(counter) > 0;
    }

    long size() {
        return counters.mappingCount();
    }

    private void makeRoom(long nowMicros) {
        if (counters.mappingCount() >= maxKeys) {
            // Whoever adds to a full table waits for its turn to make room: only so it stays bounded.
            sweeping.lock();
        } else if (!sweeping.tryLock()) {
            return;
        }
        try {
            Map.Entry<Object, Counter<S>> leastMissed = null;
            for (int i = 0; i < LOOKED_AT; i++) {
                if (!sweep.hasNext()) {
                    sweep = counters.entrySet().iterator();
                }
                Map.Entry<Object, Counter<S>> entry = sweep.next();
                if (quietAt(entry.getValue()) + REST_MICROS <= nowMicros) {
                    evict(entry.getKey(), entry.getValue());
                } else if (leastMissed == null || quietAt(entry.getValue()) < quietAt(leastMissed.getValue())) {
                    leastMissed = entry;
                }
            }
            if (leastMissed != null && counters.mappingCount() >= maxKeys) {
                evict(leastMissed.getKey(), leastMissed.getValue());
            }
        } finally {
            sweeping.unlock();
        }
    }

    private static long quietAt(Counter<?> counter) {
        synchronized (counter) {
            return counter.quietAtMicros;
        }
    }

    private void evict(Object id, Counter<S> counter) {
        synchronized (counter) {
            counter.evicted = true;
            counters.remove(id, counter);
        }
    }
}

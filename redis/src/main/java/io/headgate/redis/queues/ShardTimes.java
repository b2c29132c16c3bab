package io.headgate.redis.queues;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/**
 * Which shards of a queue are worth asking for jobs, and which is asked first. A shard that had nothing more is not asked
 * before it may have, or has signalled; as signals can be lost, a second later at the latest, and always while nobody listens
 * to them. Each time another of those that are asked is the first, so none is passed over for ever.
 */
final class ShardTimes {

    private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final LongSupplier nanoTime;
    private final ReentrantLock lock = new ReentrantLock();

    /** Guarded by the lock, as all below. */
    private long[] moreAtNanos;

    private long[] signals;
    private final BitSet failed = new BitSet();
    private int listening;
    private int first;

    /** Begins behind one of the shards. */
    ShardTimes(int shards, int first, LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        this.first = first;
        this.moreAtNanos = new long[shards];
        this.signals = new long[shards];
        Arrays.fill(moreAtNanos, nanoTime.getAsLong());
    }

    /** There are more now, which may have jobs. */
    void grow(int shards) {
        lock.lock();
        try {
            int before = moreAtNanos.length;
            if (shards > before) {
                moreAtNanos = Arrays.copyOf(moreAtNanos, shards);
                Arrays.fill(moreAtNanos, before, shards, nanoTime.getAsLong());
                signals = Arrays.copyOf(signals, shards);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Notes that somebody begins (1) or ends (-1) to listen. */
    void listening(int more) {
        lock.lock();
        try {
            listening += more;
        } finally {
            lock.unlock();
        }
    }

    /** Those that may have jobs, or just all of them, but for some, in the order in which they are to be asked. */
    List<Integer> toAsk(boolean all, Set<Integer> without) {
        lock.lock();
        try {
            long now = nanoTime.getAsLong();
            List<Integer> asked = new ArrayList<>();
            for (int i = 1; i <= moreAtNanos.length; i++) {
                int shard = (first + i) % moreAtNanos.length;
                boolean mayHave = all || listening == 0 || moreAtNanos[shard] - now <= 0;
                if (mayHave && !without.contains(shard)) {
                    asked.add(shard);
                }
            }
            if (!asked.isEmpty()) {
                first = asked.get(0);
            }
            return asked;
        } finally {
            lock.unlock();
        }
    }

    /** How often a shard has signalled, before it is asked. */
    long signals(int shard) {
        lock.lock();
        try {
            return signals[shard];
        } finally {
            lock.unlock();
        }
    }

    /** Notes that a shard did not answer. */
    void failed(int shard) {
        lock.lock();
        try {
            failed.set(shard);
        } finally {
            lock.unlock();
        }
    }

    /** Whether a shard failed when it was last asked. */
    boolean hasFailed(int shard) {
        lock.lock();
        try {
            return failed.get(shard);
        } finally {
            lock.unlock();
        }
    }

    /** Notes after how long a shard may have more, unless it has signalled since it was asked. */
    void answered(int shard, long signalsBefore, long moreInMicros) {
        lock.lock();
        try {
            failed.clear(shard);
            if (signals[shard] == signalsBefore) {
                long longestMicros = TimeUnit.NANOSECONDS.toMicros(LONGEST_NANOS);
                moreAtNanos[shard] = nanoTime.getAsLong() + 1000 * Math.min(longestMicros, moreInMicros);
            }
        } finally {
            lock.unlock();
        }
    }

    void signalled(int shard) {
        lock.lock();
        try {
            signals[shard]++;
            moreAtNanos[shard] = nanoTime.getAsLong();
        } finally {
            lock.unlock();
        }
    }

    /** After how long the first of them, but for some, may have more; 0 for now. */
    long moreInMicros(Set<Integer> without) {
        lock.lock();
        try {
            long now = nanoTime.getAsLong();
            long soonest = LONGEST_NANOS;
            for (int shard = 0; shard < moreAtNanos.length; shard++) {
                if (!without.contains(shard)) {
                    soonest = Math.min(soonest, moreAtNanos[shard] - now);
                }
            }
            // Rounded up: who comes back then must find a shard to ask.
            return Math.max(0, soonest + 999) / 1000;
        } finally {
            lock.unlock();
        }
    }
}

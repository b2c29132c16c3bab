package io.headgate.redis.queues.internal.shards;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/**
 * Decides which shards of a queue are polled next, and in which order.
 *
 * <p>A shard without due jobs is polled again when its next job may be due, or after a signal: a Pub/Sub message that jobs may be due
 * earlier. Because a signal can be lost, it is polled at least once a second. While there are no subscribers, every shard is polled. The
 * order is round-robin: each poll starts with another shard, so that no shard starves. Safe for use by several threads.
 */
final class ShardSchedule {

    private static final long MAX_WAIT_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final LongSupplier nanoTime;
    private final ReentrantLock lock = new ReentrantLock();

    /** Guarded by the lock, as are the fields below. */
    private long[] moreAtNanos;

    private long[] signals;
    private final BitSet failed = new BitSet();
    private int subscribers;
    private int first;

    /** Creates a schedule whose first poll starts with the shard after {@code first}. */
    ShardSchedule(int shards, int first, LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        this.first = first;
        this.moreAtNanos = new long[shards];
        this.signals = new long[shards];
        Arrays.fill(moreAtNanos, nanoTime.getAsLong());
    }

    /** Adds shards up to that number; the new shards are polled next. */
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

    /** Changes the number of subscribers to signals. */
    void addSubscribers(int change) {
        lock.lock();
        try {
            subscribers += change;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Returns the shards to poll, in that order.
     *
     * @param all whether to poll all shards; otherwise only those that may have due jobs
     * @param excluded shards that are not polled
     */
    List<Integer> toPoll(boolean all, Set<Integer> excluded) {
        lock.lock();
        try {
            long now = nanoTime.getAsLong();
            List<Integer> shards = new ArrayList<>();
            for (int i = 1; i <= moreAtNanos.length; i++) {
                int shard = (first + i) % moreAtNanos.length;
                boolean mayHaveJobs = all || subscribers == 0 || moreAtNanos[shard] - now <= 0;
                if (mayHaveJobs && !excluded.contains(shard)) {
                    shards.add(shard);
                }
            }
            if (!shards.isEmpty()) {
                first = shards.get(0);
            }
            return shards;
        } finally {
            lock.unlock();
        }
    }

    /** Returns how many signals a shard has sent; read it before polling the shard. */
    long signals(int shard) {
        lock.lock();
        try {
            return signals[shard];
        } finally {
            lock.unlock();
        }
    }

    /** Records that a poll of the shard has failed. */
    void failed(int shard) {
        lock.lock();
        try {
            failed.set(shard);
        } finally {
            lock.unlock();
        }
    }

    /** Whether the last poll of the shard failed. */
    boolean hasFailed(int shard) {
        lock.lock();
        try {
            return failed.get(shard);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Records that a poll of the shard has succeeded.
     *
     * @param signalsBefore the {@link #signals} before the poll; if the shard has signalled since, it is polled again immediately
     * @param moreInMicros the time after which the shard may have more due jobs
     */
    void polled(int shard, long signalsBefore, long moreInMicros) {
        lock.lock();
        try {
            failed.clear(shard);
            if (signals[shard] == signalsBefore) {
                long maxMicros = TimeUnit.NANOSECONDS.toMicros(MAX_WAIT_NANOS);
                moreAtNanos[shard] = nanoTime.getAsLong() + 1000 * Math.min(maxMicros, moreInMicros);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Records a signal of the shard, which is therefore polled next. */
    void signalled(int shard) {
        lock.lock();
        try {
            signals[shard]++;
            moreAtNanos[shard] = nanoTime.getAsLong();
        } finally {
            lock.unlock();
        }
    }

    /** Returns the time after which any shard, except the excluded ones, may have more due jobs; 0 for now. */
    long moreInMicros(Set<Integer> excluded) {
        lock.lock();
        try {
            long now = nanoTime.getAsLong();
            long soonest = MAX_WAIT_NANOS;
            for (int shard = 0; shard < moreAtNanos.length; shard++) {
                if (!excluded.contains(shard)) {
                    soonest = Math.min(soonest, moreAtNanos[shard] - now);
                }
            }
            // Rounded up: a poll after this time must find a shard to poll.
            return Math.max(0, soonest + 999) / 1000;
        } finally {
            lock.unlock();
        }
    }
}

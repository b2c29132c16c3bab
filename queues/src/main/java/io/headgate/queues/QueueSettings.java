package io.headgate.queues;

import io.headgate.queues.internal.JobBounds;
import java.util.Objects;

/**
 * The name and the bounds of a queue. Each process applies its own settings to the calls that it makes, so use the same in all
 * processes. Immutable.
 *
 * @param name 1 to 64 of {@code A-Z a-z 0-9 . _ -}, the first a letter or digit; part of the keys in Redis
 * @param maxJobs the most waiting and leased jobs: {@code shards} to 1 000 000 000. An enqueue call beyond it throws a {@link
 *     QueueFullException}
 * @param maxPayloadBytes the largest encoded payload: 0 to 262 144 bytes
 * @param maxCrashes after how many expired leases a job becomes a dead letter: 1 to 100
 * @param durability what a write waits for before its call returns
 * @param keepDone how many done jobs are kept, and how long; they do not count towards {@code maxJobs}
 * @param shards the minimum number of shards, which spread the queue over hash slots of a Redis Cluster: 1 to 64. A queue that already
 *     has more {@linkplain JobQueue#shards() shards} keeps them
 */
public record QueueSettings(
        String name,
        long maxJobs,
        int maxPayloadBytes,
        int maxCrashes,
        Durability durability,
        KeepDone keepDone,
        int shards) {

    /** The largest {@code maxPayloadBytes} of any queue: 262 144 bytes. */
    public static final int MAX_PAYLOAD_BYTES = JobBounds.MAX_PAYLOAD_BYTES;

    /** The most jobs that one call enqueues, claims, settles, lists, redrives or deletes: 500. */
    public static final int MAX_BATCH = JobBounds.MAX_BATCH;

    /** The most jobs of one enqueue call that may have a delay, a due time or a key: 200. */
    public static final int MAX_BATCH_DELAYED_OR_KEYED = JobBounds.MAX_DELAYED_OR_KEYED;

    /** The most bytes of payloads, keys and headers in one enqueue call: 512 KiB. */
    public static final int MAX_BATCH_BYTES = JobBounds.MAX_BATCH_BYTES;

    /** Checks the name and the ranges. */
    public QueueSettings {
        JobBounds.name(name);
        JobBounds.inRange("shards", shards, 1, JobBounds.MAX_SHARDS);
        JobBounds.inRange("maxJobs", maxJobs, shards, 1_000_000_000);
        JobBounds.inRange("maxPayloadBytes", maxPayloadBytes, 0, JobBounds.MAX_PAYLOAD_BYTES);
        JobBounds.inRange("maxCrashes", maxCrashes, 1, 100);
        Objects.requireNonNull(durability, "durability");
        Objects.requireNonNull(keepDone, "keepDone");
    }

    /**
     * Returns the default settings: one shard, at most 10 000 000 jobs, payloads of at most 64 KiB, 5 crashes, no durability,
     * and no kept done jobs.
     */
    public static QueueSettings of(String name) {
        return new QueueSettings(name, 10_000_000, 64 * 1024, 5, Durability.none(), KeepDone.none(), 1);
    }

    /** Returns the same settings with another bound of waiting and leased jobs. */
    public QueueSettings withMaxJobs(long jobs) {
        return new QueueSettings(name, jobs, maxPayloadBytes, maxCrashes, durability, keepDone, shards);
    }

    /** Returns the same settings with another bound of payloads, in bytes. */
    public QueueSettings withMaxPayloadBytes(int bytes) {
        return new QueueSettings(name, maxJobs, bytes, maxCrashes, durability, keepDone, shards);
    }

    /** Returns the same settings with another bound of expired leases per job. */
    public QueueSettings withMaxCrashes(int crashes) {
        return new QueueSettings(name, maxJobs, maxPayloadBytes, crashes, durability, keepDone, shards);
    }

    /** Returns the same settings with another durability. */
    public QueueSettings withDurability(Durability wanted) {
        return new QueueSettings(name, maxJobs, maxPayloadBytes, maxCrashes, wanted, keepDone, shards);
    }

    /** Returns the same settings with another bound of kept done jobs. */
    public QueueSettings withKeepDone(KeepDone kept) {
        return new QueueSettings(name, maxJobs, maxPayloadBytes, maxCrashes, durability, kept, shards);
    }

    /**
     * Returns the same settings with another minimum number of shards: 1 to 64. The number is stored with the queue and only grows. A
     * process with a greater number adds shards for all processes, with its first call that enqueues or claims. Each shard has its part
     * of {@code maxJobs}. Order and priorities hold within a shard. {@link NewJob#once} may admit a second job of a key until all
     * processes use the added shards, and while a job of the key from before exists. Shards that are added to a paused queue are not
     * paused.
     */
    public QueueSettings withShards(int number) {
        return new QueueSettings(name, maxJobs, maxPayloadBytes, maxCrashes, durability, keepDone, number);
    }
}

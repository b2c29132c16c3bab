package io.headgate.queues;

import io.headgate.queues.internal.JobBounds;
import java.util.Objects;

/**
 * What a queue is called and what it takes. Bounds are checked by whoever enqueues or claims, so all processes should give
 * the same.
 *
 * @param name 1 to 64 of {@code A-Z a-z 0-9 . _ -}, beginning with a letter or digit; part of the keys
 * @param maxJobs how many jobs may be in the queue, waiting or in hand: 1 to 1 000 000 000
 * @param maxPayloadBytes how large a job's payload may be: 0 to 262 144
 * @param maxCrashes how often a job's lease may expire before it goes to the dead letters: 1 to 100
 * @param durability how safe what is written must be before a call is answered
 * @param keepDone how many jobs that are done are kept, and for how long; they don't count as jobs of the queue
 * @param shards over how many slots of a Redis Cluster it is spread at least: 1 to 64, and at most {@code maxJobs}. A queue that has
 *     more keeps them, as {@link JobQueue#shards()} tells
 */
public record QueueSettings(
        String name,
        long maxJobs,
        int maxPayloadBytes,
        int maxCrashes,
        Durability durability,
        KeepDone keepDone,
        int shards) {

    /** The most bytes that a job's payload may have, whatever a queue's settings. */
    public static final int MAX_PAYLOAD_BYTES = JobBounds.MAX_PAYLOAD_BYTES;

    /** The most jobs that one call takes in, hands out, shows or removes. */
    public static final int MAX_BATCH = JobBounds.MAX_BATCH;

    /** How many of the jobs that one call takes in may be due later or have a key. */
    public static final int MAX_BATCH_NOT_PLAIN = JobBounds.MAX_NOT_PLAIN;

    /** The most bytes of all jobs that one call takes in, with keys and headers. */
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

    /** Of one shard, up to 10 000 000 jobs of up to 64 KiB, of which one may crash 5 times. */
    public static QueueSettings of(String name) {
        return new QueueSettings(name, 10_000_000, 64 * 1024, 5, Durability.none(), KeepDone.none(), 1);
    }

    /** The same, bounded to so many jobs. */
    public QueueSettings withMaxJobs(long jobs) {
        return new QueueSettings(name, jobs, maxPayloadBytes, maxCrashes, durability, keepDone, shards);
    }

    /** The same, with payloads of up to so many bytes. */
    public QueueSettings withMaxPayloadBytes(int bytes) {
        return new QueueSettings(name, maxJobs, bytes, maxCrashes, durability, keepDone, shards);
    }

    /** The same, with so many crashes of one job. */
    public QueueSettings withMaxCrashes(int crashes) {
        return new QueueSettings(name, maxJobs, maxPayloadBytes, crashes, durability, keepDone, shards);
    }

    /** The same, with calls that are answered when what they wrote is so safe. */
    public QueueSettings withDurability(Durability wanted) {
        return new QueueSettings(name, maxJobs, maxPayloadBytes, maxCrashes, wanted, keepDone, shards);
    }

    /** The same, with jobs that are done kept so. */
    public QueueSettings withKeepDone(KeepDone kept) {
        return new QueueSettings(name, maxJobs, maxPayloadBytes, maxCrashes, durability, kept, shards);
    }

    /**
     * The same, spread over so many shards at least: 1 to 64. How many there are is a fact of the queue: whoever gives it more, with
     * the first job that is enqueued or claimed, does so for all who use it. Each has its part of {@code maxJobs}, and order and
     * priorities hold within a shard.
     */
    public QueueSettings withShards(int number) {
        return new QueueSettings(name, maxJobs, maxPayloadBytes, maxCrashes, durability, keepDone, number);
    }
}

package io.headgate.queues;

import io.headgate.queues.internal.JobBounds;
import io.headgate.queues.worker.WorkerListener;
import java.time.Duration;

/**
 * What a write to a queue or stream waits for before its call returns. The guide to queues lists what each durability can still
 * lose.
 *
 * <p>If a write is not confirmed in time, the call throws a {@link QueueException} that states how many servers confirmed it, and whose
 * {@link QueueException#mayBeDone()} is true. A worker instead reports it to {@link WorkerListener#onUnconfirmed}, or to {@link
 * WorkerListener#onQueueError} for a job that no handler has handled, and for the renewal of a lease. Claims and repairs do not wait for
 * a confirmation, except the polls of a worker that also settle jobs. If a claim is lost, its jobs are delivered once more.
 */
public sealed interface Durability {

    /** Waits for nothing but the server's reply. */
    record None() implements Durability {}

    /**
     * Waits until replicas have the write in memory, by WAIT.
     *
     * @param replicas the number of replicas: 1 to 100
     * @param timeout how long to wait: 1 ms to 1 minute
     */
    record Replicas(int replicas, Duration timeout) implements Durability {

        /** Checks the ranges. */
        public Replicas {
            JobBounds.inRange("number of replicas", replicas, 1, JobBounds.MAX_REPLICAS);
            JobBounds.confirmation(timeout);
        }
    }

    /**
     * Waits until the write is on disk in append-only files, by WAITAOF; requires Redis 7.2 or Valkey. With {@code appendfsync
     * everysec} this takes up to a second or two, so choose a longer timeout.
     *
     * @param local whether to wait for the file of the server itself
     * @param replicas the number of replicas whose files to wait for: 0 to 100, at least 1 if {@code local} is false
     * @param timeout how long to wait: 1 ms to 1 minute
     */
    record AppendOnlyFile(boolean local, int replicas, Duration timeout) implements Durability {

        /** Checks the ranges. */
        public AppendOnlyFile {
            JobBounds.inRange("number of replicas", replicas, local ? 0 : 1, JobBounds.MAX_REPLICAS);
            JobBounds.confirmation(timeout);
        }
    }

    /** Waits for nothing but the server's reply. */
    static Durability none() {
        return new None();
    }

    /** Waits until 1 to 100 replicas have the write in memory, with a timeout of 1 ms to 1 minute. */
    static Durability replicas(int replicas, Duration timeout) {
        return new Replicas(replicas, timeout);
    }

    /**
     * Waits until the write is on disk in append-only files, with a timeout of 1 ms to 1 minute.
     *
     * @param local whether to wait for the file of the server itself
     * @param replicas the number of replicas whose files to wait for: 0 to 100, at least 1 if {@code local} is false
     */
    static Durability appendOnlyFile(boolean local, int replicas, Duration timeout) {
        return new AppendOnlyFile(local, replicas, timeout);
    }
}

package io.headgate.queues;

import io.headgate.queues.internal.JobBounds;
import java.time.Duration;

/**
 * How safe what was written to a queue or a stream must be before a call is answered: what each can lose is in the guide to
 * queues.
 *
 * <p>A call that was carried out and not confirmed in time fails with a {@link QueueException} whose {@link
 * QueueException#mayBeDone()} is true, and which says how many confirmed it. Calls that only look, and claims, are not
 * confirmed: a claim that is lost hands out its jobs once more.
 */
public sealed interface Durability {

    /** As safe as the server makes it by itself; nothing is waited for. */
    record None() implements Durability {}

    /**
     * In the memory of so many replicas: WAIT.
     *
     * @param replicas how many: 1 to 100
     * @param timeout how long to wait for them: 1 ms to 1 minute
     */
    record Replicas(int replicas, Duration timeout) implements Durability {

        /** Checks the ranges. */
        public Replicas {
            JobBounds.inRange("number of replicas", replicas, 1, JobBounds.MAX_REPLICAS);
            JobBounds.confirmation(timeout);
        }
    }

    /**
     * On disk, in the append-only files of the server or of replicas, or of both: WAITAOF, which Redis has from 7.2 on. Where
     * files are synced each second (appendfsync everysec), that takes up to a second, and the timeout should be longer.
     *
     * @param local whether in the server's own
     * @param replicas in those of how many replicas: 0 to 100, and at least 1 where it need not be in the server's own
     * @param timeout how long to wait for it: 1 ms to 1 minute
     */
    record AppendOnlyFile(boolean local, int replicas, Duration timeout) implements Durability {

        /** Checks the ranges. */
        public AppendOnlyFile {
            JobBounds.inRange("number of replicas", replicas, local ? 0 : 1, JobBounds.MAX_REPLICAS);
            JobBounds.confirmation(timeout);
        }
    }

    /** As safe as the server makes it by itself. */
    static Durability none() {
        return new None();
    }

    /** In the memory of 1 to 100 replicas, waited for from 1 ms to 1 minute. */
    static Durability replicas(int replicas, Duration timeout) {
        return new Replicas(replicas, timeout);
    }

    /**
     * In append-only files, waited for from 1 ms to 1 minute.
     *
     * @param local whether in the server's own
     * @param replicas in those of how many replicas: 0 to 100, and at least 1 where it need not be in the server's own
     */
    static Durability appendOnlyFile(boolean local, int replicas, Duration timeout) {
        return new AppendOnlyFile(local, replicas, timeout);
    }
}

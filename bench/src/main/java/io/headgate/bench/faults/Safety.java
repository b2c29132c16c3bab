package io.headgate.bench.faults;

import io.headgate.queues.Durability;
import java.time.Duration;

/** How safe what a queue answers is to be: the columns of the loss matrix. */
enum Safety {
    NONE("none"),
    REPLICAS("replicas"),
    FILE("append-only file");

    private static final Duration TIMEOUT = Duration.ofMillis(500);

    /** Files that are synced each second take longer. */
    private static final Duration FILE_TIMEOUT = Duration.ofSeconds(3);

    /** It runs on while the job, and the ack before it, wait for their confirmations. */
    private static final Duration FILE_LEASE = Duration.ofSeconds(10);

    private final String label;

    Safety(String label) {
        this.label = label;
    }

    String label() {
        return label;
    }

    /** How long a job is in hand. */
    Duration lease() {
        return this == FILE ? FILE_LEASE : JobTrial.LEASE;
    }

    Durability durability(boolean replicated) {
        return switch (this) {
            case NONE -> Durability.none();
            case REPLICAS -> Durability.replicas(1, TIMEOUT);
            case FILE -> Durability.appendOnlyFile(true, replicated ? 1 : 0, FILE_TIMEOUT);
        };
    }
}

package io.headgate.bench.faults;

import java.util.Map;
import java.util.Set;

/**
 * A row of the loss matrix: servers that are killed while jobs are enqueued and handled.
 *
 * @param done what is done; it begins and ends at once
 * @param kills how many servers are killed
 * @param shards of the queue
 * @param replicated whether there are replicas
 * @param lossless the columns in which no job that was answered may be lost
 * @param absent the columns that there can't be, and why
 */
record LossCase(
        FaultCase<?> done,
        int kills,
        int shards,
        boolean replicated,
        Set<Safety> lossless,
        Map<Safety, String> absent) {

    String name() {
        return done.name();
    }

    /** The subject of a cell. */
    String subject(Safety safety) {
        return name() + ": " + safety.label();
    }
}

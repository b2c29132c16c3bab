package io.headgate.queues.internal;

import io.headgate.queues.Job;
import io.headgate.queues.WorkerListener;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * What came of a job: what the engine is told, and what the listeners are when it was.
 *
 * @param settling what the engine is told
 * @param job the job, as listeners know it; nothing where they know its id only
 * @param heard what listeners are told then
 * @param isSafe whether they are told so only where it is as safe as it should be
 * @param log logs what failed; run when the worker still has the job, and so settles it
 */
record Outcome(
        Settlement settling, Optional<Job<?>> job, Consumer<WorkerListener> heard, boolean isSafe, Runnable log) {

    /** Of a job that listeners may know by its id. */
    Outcome(Settlement settling, Consumer<WorkerListener> heard) {
        this(settling, Optional.empty(), heard, false, () -> {});
    }
}

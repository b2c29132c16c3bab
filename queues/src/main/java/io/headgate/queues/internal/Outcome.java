package io.headgate.queues.internal;

import io.headgate.queues.Job;
import io.headgate.queues.WorkerListener;
import java.util.function.BiConsumer;

/**
 * What came of a job: what the engine is told, and what the listeners are when it was.
 *
 * @param settling what the engine is told
 * @param heard what listeners are told of the job then
 */
record Outcome(Settling settling, BiConsumer<WorkerListener, Job<?>> heard) {}

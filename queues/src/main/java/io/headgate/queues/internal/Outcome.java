package io.headgate.queues.internal;

import io.headgate.queues.WorkerListener;
import java.util.function.Consumer;

/**
 * What came of a job: what the engine is told, and what the listeners are when it was.
 *
 * @param settling what the engine is told
 * @param heard what listeners are told then
 */
record Outcome(Settling settling, Consumer<WorkerListener> heard) {}

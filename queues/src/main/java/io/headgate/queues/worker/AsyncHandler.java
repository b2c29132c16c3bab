package io.headgate.queues.worker;

import io.headgate.queues.Job;
import java.util.concurrent.CompletionStage;

/**
 * Handles jobs without occupying a thread meanwhile. A job may be handled more than once, for example if its worker died after
 * handling it, so make handlers idempotent.
 *
 * @param <T> the type of the payload
 */
@FunctionalInterface
public interface AsyncHandler<T> {

    /**
     * Starts to handle a job. The job is done when the stage completes. The attempt has failed when the stage fails or this
     * method throws.
     *
     * @throws Exception the reason why the attempt failed
     */
    CompletionStage<?> handle(Job<T> job) throws Exception;
}

package io.headgate.queues.worker;

import io.headgate.queues.Job;
import java.util.concurrent.CompletionStage;

/**
 * Handles jobs asynchronously, without occupying a thread until they are done. A job may be handled more than once, for example if its
 * worker crashed after handling it, so make handlers idempotent. Called by several threads at the same time.
 *
 * @param <T> the type of the payload
 */
@FunctionalInterface
public interface AsyncHandler<T> {

    /**
     * Starts to handle a job. The job is done when the stage completes. The attempt has failed when the stage fails or this
     * method throws.
     *
     * @throws Exception if the attempt failed
     */
    CompletionStage<?> handle(Job<T> job) throws Exception;
}

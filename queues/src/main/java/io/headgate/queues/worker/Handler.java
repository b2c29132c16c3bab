package io.headgate.queues.worker;

import io.headgate.queues.Job;

/**
 * Handles jobs. Called by several threads at the same time. A job may be handled more than once, for example if its worker crashed
 * after handling it, so make handlers idempotent.
 *
 * @param <T> the type of the payload
 */
@FunctionalInterface
public interface Handler<T> {

    /**
     * Handles a job. The job is done when this returns, and the attempt has failed when this throws.
     *
     * @throws Exception if the attempt failed
     */
    void handle(Job<T> job) throws Exception;
}

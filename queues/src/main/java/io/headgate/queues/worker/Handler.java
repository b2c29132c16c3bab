package io.headgate.queues.worker;

import io.headgate.queues.Job;

/**
 * Does a job. Called by several threads at once; a job may come to it more than once, since whoever had it before may have
 * died after doing it.
 *
 * @param <T> what a payload is
 */
@FunctionalInterface
public interface Handler<T> {

    /**
     * Does the job: when it returns, the job is done; when it throws, the attempt has failed.
     *
     * @throws Exception why the attempt failed
     */
    void handle(Job<T> job) throws Exception;
}

package io.headgate.queues.worker;

import io.headgate.queues.Job;
import java.util.concurrent.CompletionStage;

/**
 * Does a job without holding a thread meanwhile. A job may come to it more than once, since whoever had it before may have
 * died after doing it.
 *
 * @param <T> what a payload is
 */
@FunctionalInterface
public interface AsyncHandler<T> {

    /**
     * Begins to do the job: when the stage completes, the job is done; when it fails, or nothing is returned but thrown, the
     * attempt has failed.
     *
     * @throws Exception why the attempt failed
     */
    CompletionStage<?> handle(Job<T> job) throws Exception;
}

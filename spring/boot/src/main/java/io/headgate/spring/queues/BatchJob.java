package io.headgate.spring.queues;

import io.headgate.queues.Job;

/**
 * A job of a batch, which a listener settles itself. A method with a parameter of {@code List<BatchJob<T>>} settles each job before it
 * returns, or before the stage or publisher that it returns completes. A job that it does not settle has failed. If the method fails with
 * an exception, the jobs that it has settled stay settled, and all others have failed with the exception.
 *
 * @param <T> the type of the payload
 */
public interface BatchJob<T> extends Acknowledgement {

    /** Returns the job, with its payload, headers and attempts. */
    Job<T> job();

    /** Returns the payload of the job. */
    default T payload() {
        return job().payload();
    }
}

package io.headgate.spring.queues.internal.batch;

import io.headgate.queues.Job;
import io.headgate.spring.queues.Acknowledgement;
import io.headgate.spring.queues.BatchJob;
import java.time.Duration;

/**
 * A job of a batch.
 *
 * @param job the job with its converted payload
 * @param acknowledgement settles it
 */
public record BatchedJob<T>(Job<T> job, Acknowledgement acknowledgement) implements BatchJob<T> {

    @Override
    public void ack() {
        acknowledgement.ack();
    }

    @Override
    public void retry(Duration delay, String cause) {
        acknowledgement.retry(delay, cause);
    }

    @Override
    public void handBack(Duration delay) {
        acknowledgement.handBack(delay);
    }

    @Override
    public void deadLetter(String cause) {
        acknowledgement.deadLetter(cause);
    }
}

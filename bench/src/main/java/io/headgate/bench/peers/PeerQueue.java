package io.headgate.bench.peers;

/** A queue at work. What it is told is done when the call returns; it throws when a job is lost or comes out twice. */
public interface PeerQueue extends AutoCloseable {

    /** How many bytes a payload has. */
    int PAYLOAD_BYTES = 100;

    /** How many requests for one job are in flight. */
    int IN_FLIGHT = 64;

    /** How many jobs are enqueued, taken or acked together. */
    int BATCH = 100;

    /** How many requests for a batch of jobs are in flight. */
    int BATCHES_IN_FLIGHT = 8;

    /** Makes ready what is not part of the work, in a Redis that has just been emptied. */
    void prepare();

    /** Enqueues jobs one by one, due at once. */
    Work enqueue(int jobs);

    /** Enqueues jobs in batches, due at once. */
    Work enqueueBatches(int jobs);

    /** Enqueues jobs in batches, due in an hour and later. */
    Work enqueueLater(int jobs);

    /** Takes and acks all jobs that {@link #enqueue} or {@link #enqueueBatches} left, by so many consumers at a time. */
    Work process(int jobs, int consumers);

    @Override
    void close();

    /**
     * What was done, and how fast.
     *
     * @param jobs how many jobs
     * @param nanos how long all of it took
     * @param p50Micros the time that half of the requests did not exceed; no number where that is not known, as the next
     * @param p99Micros the time that all but one in a hundred did not exceed
     */
    record Work(long jobs, long nanos, double p50Micros, double p99Micros) {

        /** All of both; how long requests took says nothing then. */
        public Work then(Work next) {
            return new Work(jobs, nanos + next.nanos, Double.NaN, Double.NaN);
        }

        public double perSecond() {
            return jobs * 1e9 / nanos;
        }
    }
}

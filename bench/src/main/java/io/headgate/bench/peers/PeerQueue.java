package io.headgate.bench.peers;

/** A measured queue. Each method returns when its work is done, and throws if a job is lost or handled twice. */
public interface PeerQueue extends AutoCloseable {

    /** The length of a payload. */
    int PAYLOAD_BYTES = 100;

    /** The number of requests in flight with one job each. */
    int IN_FLIGHT = 64;

    /** The number of jobs in a batch. */
    int BATCH = 100;

    /** The number of batches in flight. */
    int BATCHES_IN_FLIGHT = 8;

    /** Prepares an empty Redis; not measured. */
    void prepare();

    /** Enqueues jobs one by one, due at once. */
    Work enqueue(int jobs);

    /** Enqueues jobs in batches, due at once. */
    Work enqueueBatches(int jobs);

    /** Enqueues jobs in batches, due in an hour and later. */
    Work enqueueLater(int jobs);

    /** Claims and acks all jobs of {@link #enqueue} or {@link #enqueueBatches}, with this many consumers. */
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

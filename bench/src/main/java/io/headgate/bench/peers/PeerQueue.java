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

    /** Enqueues jobs one by one, due immediately. */
    Work enqueue(int jobs);

    /** Enqueues jobs in batches, due immediately. */
    Work enqueueBatches(int jobs);

    /** Enqueues jobs in batches, due in an hour and later. */
    Work enqueueLater(int jobs);

    /**
     * Claims and acks all jobs of {@link #enqueue} or {@link #enqueueBatches}, with this many consumers. A queue that is processed by a
     * worker ignores this number.
     */
    Work process(int jobs, int consumers);

    @Override
    void close();

    /**
     * The result of one method: the number of jobs, and how long they took.
     *
     * @param jobs how many jobs
     * @param nanos the total time
     * @param p50Micros the median latency of a request, or NaN if it is unknown
     * @param p99Micros the 99th percentile of the latency of a request, or NaN if it is unknown
     */
    record Work(long jobs, long nanos, double p50Micros, double p99Micros) {

        /** Combines the results of two methods for the same jobs: adds up the times; the latencies become unknown. */
        public Work then(Work next) {
            return new Work(jobs, nanos + next.nanos, Double.NaN, Double.NaN);
        }

        public double perSecond() {
            return jobs * 1e9 / nanos;
        }
    }
}

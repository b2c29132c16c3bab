package io.headgate.bench.peers;

/**
 * What was done, and how fast.
 *
 * @param jobs how many jobs
 * @param nanos how long all of it took
 * @param p50Micros the time that half of the requests did not exceed; no number where that is not known, as the next
 * @param p99Micros the time that all but one in a hundred did not exceed
 */
public record Work(long jobs, long nanos, double p50Micros, double p99Micros) {

    /** All of both; how long requests took says nothing then. */
    public Work then(Work next) {
        return new Work(jobs, nanos + next.nanos, Double.NaN, Double.NaN);
    }

    public double perSecond() {
        return jobs * 1e9 / nanos;
    }
}

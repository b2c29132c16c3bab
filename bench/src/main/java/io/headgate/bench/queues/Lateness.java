package io.headgate.bench.queues;

import java.util.Arrays;
import java.util.Optional;

/** How late jobs are handled: those of one turn, each once. Safe for use by several threads. */
final class Lateness {

    private static final String WORD = "late";

    private long[] lateMicros = {};
    private boolean[] seen = {};
    private int handled;

    /**
     * What a turn came to.
     *
     * @param p50Micros how late half of the jobs were at most
     * @param p99Micros how late all but one in a hundred were at most
     * @param leastMicros how late the least late one was; below 0 when it was early
     */
    record Summary(long p50Micros, long p99Micros, long leastMicros) {

        /** As it is written from process to process. */
        @Override
        public String toString() {
            return WORD + " " + p50Micros + " " + p99Micros + " " + leastMicros;
        }

        static boolean isOne(String line) {
            return line.startsWith(WORD + " ");
        }

        static Summary parse(String line) {
            String[] words = line.split(" ");
            return new Summary(Long.parseLong(words[1]), Long.parseLong(words[2]), Long.parseLong(words[3]));
        }
    }

    /** A turn begins, with so many jobs. */
    synchronized void expect(int jobs) {
        lateMicros = new long[jobs];
        seen = new boolean[jobs];
        handled = 0;
    }

    /** A job is handled now; answers what the turn came to when it was the last one. */
    synchronized Optional<Summary> add(DueJob job, long nowMicros) {
        if (seen[job.number()]) {
            throw new IllegalStateException("job " + job.number() + " was handled twice");
        }
        seen[job.number()] = true;
        lateMicros[handled++] = nowMicros - job.dueMicros();
        return handled == lateMicros.length ? Optional.of(summary()) : Optional.empty();
    }

    private Summary summary() {
        long[] sorted = lateMicros.clone();
        Arrays.sort(sorted);
        return new Summary(sorted[sorted.length / 2], sorted[sorted.length * 99 / 100], sorted[0]);
    }
}

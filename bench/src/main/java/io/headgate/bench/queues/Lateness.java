package io.headgate.bench.queues;

import io.headgate.bench.peers.PeerQueue;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.Optional;

/** Collects the lateness of the jobs of a turn, and checks that each job is handled once. Safe for use by several threads. */
final class Lateness {

    private static final String PREFIX = "late";

    private long[] lateMicros = {};
    private boolean[] seen = {};
    private int handled;

    /**
     * The lateness in one turn.
     *
     * @param p50Micros the median
     * @param p99Micros the 99th percentile
     * @param leastMicros the minimum; negative if a job was early
     */
    record Summary(long p50Micros, long p99Micros, long leastMicros) {

        /** The text form, which {@link #parse} reads in another process. */
        @Override
        public String toString() {
            return PREFIX + " " + p50Micros + " " + p99Micros + " " + leastMicros;
        }

        static boolean isSummary(String line) {
            return line.startsWith(PREFIX + " ");
        }

        static Summary parse(String line) {
            String[] words = line.split(" ");
            return new Summary(Long.parseLong(words[1]), Long.parseLong(words[2]), Long.parseLong(words[3]));
        }
    }

    /** Starts a turn with this many jobs. */
    synchronized void expect(int jobs) {
        lateMicros = new long[jobs];
        seen = new boolean[jobs];
        handled = 0;
    }

    /** Records a handled job; returns the summary of the turn after its last job. */
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

    /** A job whose payload has its number and due time. The clock is that of this machine, on which Redis runs, too. */
    record DueJob(int number, long dueMicros) {

        static DueJob of(byte[] payload) {
            ByteBuffer bytes = ByteBuffer.wrap(payload);
            return new DueJob(bytes.getInt(), bytes.getLong());
        }

        byte[] payload() {
            byte[] payload = new byte[PeerQueue.PAYLOAD_BYTES];
            ByteBuffer.wrap(payload).putInt(number).putLong(dueMicros);
            return payload;
        }

        Instant due() {
            return Instant.EPOCH.plus(dueMicros, ChronoUnit.MICROS);
        }

        static long nowMicros() {
            return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
        }
    }
}

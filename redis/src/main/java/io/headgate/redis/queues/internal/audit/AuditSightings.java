package io.headgate.redis.queues.internal.audit;

import io.headgate.queues.internal.Utf8;
import io.headgate.redis.internal.script.Packed;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The jobs that an audit has seen so far, and the jobs that it has seen twice. A job that was seen twice is not a finding yet: it may
 * have moved from one place to another during the audit. Not safe for use by several threads.
 */
final class AuditSightings {

    /** Positions in a sighting, in the format of audit_common in audit.lua. */
    private static final int NUMBER_AT = 16;

    private static final int COUNT_AT = NUMBER_AT + 6;
    private static final int BYTES = COUNT_AT + 2;
    private static final int MAX_REPEATED = 100_000;

    private final NumberSet seen = new NumberSet();
    private final List<byte[]> repeated = new ArrayList<>();
    private long jobs;
    private long highest;
    private long omitted;

    /**
     * Adds the jobs that a step has seen.
     *
     * @param step the sightings of the step
     * @param from the position of the first sighting
     * @param tenant the tenant whose lane the step has scanned; empty if it has scanned another part of the queue
     */
    void add(byte[] step, int from, String tenant) {
        for (int at = from; at < step.length; at += BYTES) {
            long first = Packed.number(step, at + NUMBER_AT, 6);
            long count = Packed.number(step, at + COUNT_AT, 2);
            for (long number = first; number < first + count; number++) {
                jobs++;
                if (!seen.add(number)) {
                    addRepeated(step, at, number, tenant);
                }
            }
            highest = Math.max(highest, first + count - 1);
        }
    }

    private void addRepeated(byte[] step, int at, long number, String tenant) {
        if (repeated.size() == MAX_REPEATED) {
            omitted++;
            return;
        }
        repeated.add(new Packed()
                .all(Arrays.copyOfRange(step, at, at + NUMBER_AT))
                .number(number, 6)
                .number(1, 2)
                .all(Utf8.of(tenant))
                .bytes());
    }

    /** Sightings of jobs that were seen before. */
    List<byte[]> repeated() {
        return repeated;
    }

    /** How many repeated sightings were not kept, because there were too many. */
    long omitted() {
        return omitted;
    }

    long jobs() {
        return jobs;
    }

    /** The highest job number. */
    long highest() {
        return highest;
    }

    /** A set of job numbers, stored as blocks of bits, because most numbers are consecutive. */
    private static final class NumberSet {

        private static final int SPAN_BITS = 12;

        private final Map<Long, BitSet> spans = new HashMap<>();

        /** Adds a number; returns whether it was absent. */
        boolean add(long number) {
            BitSet span = spans.computeIfAbsent(number >>> SPAN_BITS, key -> new BitSet());
            int bit = (int) (number & ((1 << SPAN_BITS) - 1));
            boolean absent = !span.get(bit);
            span.set(bit);
            return absent;
        }
    }
}

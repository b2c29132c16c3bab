package io.headgate.redis.queues;

import io.headgate.redis.internal.Packed;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Which jobs an audit has seen so far, and which of them a second time. That is no finding yet: a job may have gone from one
 * place to another meanwhile.
 */
final class AuditSightings {

    private static final int NUMBER_AT = 16;
    private static final int COUNT_AT = NUMBER_AT + 6;
    private static final int BYTES = COUNT_AT + 2;
    private static final int MAX_AGAIN = 100_000;

    private final NumberSet seen = new NumberSet();
    private final List<byte[]> again = new ArrayList<>();
    private long jobs;
    private long highest;
    private long left;

    /** Adds what a step saw, from there on. */
    void add(byte[] step, int from) {
        for (int at = from; at < step.length; at += BYTES) {
            long first = Packed.number(step, at + NUMBER_AT, 6);
            long count = Packed.number(step, at + COUNT_AT, 2);
            for (long number = first; number < first + count; number++) {
                jobs++;
                if (!seen.add(number)) {
                    addAgain(step, at, number);
                }
            }
            highest = Math.max(highest, first + count - 1);
        }
    }

    private void addAgain(byte[] step, int at, long number) {
        if (again.size() == MAX_AGAIN) {
            left++;
            return;
        }
        again.add(new Packed()
                .all(Arrays.copyOfRange(step, at, at + NUMBER_AT))
                .number(number, 6)
                .number(1, 2)
                .bytes());
    }

    List<byte[]> again() {
        return again;
    }

    /** How many more were seen again than are kept. */
    long left() {
        return left;
    }

    long jobs() {
        return jobs;
    }

    /** The highest number. */
    long highest() {
        return highest;
    }
}

package io.headgate.queues.streams;

import io.headgate.queues.JobId;
import io.headgate.queues.internal.Quoted;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * The id of a stream entry: the time of its production, and its number within that millisecond. Later entries have greater ids.
 *
 * @param millis milliseconds since 1970, by Redis's clock: 0 to 2^48 - 1
 * @param sequence the number, as an unsigned long: values above 2^63 - 1 are negative
 */
public record EntryId(long millis, long sequence) implements Comparable<EntryId> {

    private static final int MAX_MILLIS_DIGITS = 15;
    private static final int MAX_DIGITS = 20;
    private static final HexFormat HEX = HexFormat.of();
    private static final int MILLIS_DIGITS = 12;
    /** Two more digits come first: in the id of a job they are its shard, here they are 0. */
    private static final int SEQUENCE_AT = 2 + MILLIS_DIGITS;

    private static final int JOB_DIGITS = SEQUENCE_AT + 16;

    /** Checks the range. */
    public EntryId {
        if (millis < 0 || millis >= 1L << 48) {
            throw new IllegalArgumentException(
                    "milliseconds of an entry's id must be from 0 to 2^48 - 1, was " + millis);
        }
    }

    /** Parses an id in the format of Redis, such as {@code 1718000000000-0}. */
    public static EntryId parse(String text) {
        int dash = text.indexOf('-');
        if (!areDigits(text, 0, dash, MAX_MILLIS_DIGITS) || !areDigits(text, dash + 1, text.length(), MAX_DIGITS)) {
            throw new IllegalArgumentException(
                    "the id of an entry is milliseconds and a number, such as 1718000000000-0, was " + Quoted.of(text));
        }
        return new EntryId(
                Long.parseLong(text, 0, dash, 10), Long.parseUnsignedLong(text, dash + 1, text.length(), 10));
    }

    private static boolean areDigits(String text, int from, int to, int most) {
        for (int i = from; i < to; i++) {
            if (text.charAt(i) < '0' || text.charAt(i) > '9') {
                return false;
            }
        }
        return from < to && to - from <= most;
    }

    /**
     * Returns the id of the entry that a lease of a group delivers.
     *
     * @param job the {@linkplain io.headgate.queues.Lease#id id of the lease}, also of an entry that is retried; not an id from {@link
     *     ConsumerGroup#deadLetters} or {@link ConsumerGroup#retriedEntries}, which does not contain the id of the entry
     */
    public static EntryId of(JobId job) {
        String digits = job.value();
        return new EntryId(
                HexFormat.fromHexDigitsToLong(digits, 2, SEQUENCE_AT),
                HexFormat.fromHexDigitsToLong(digits, SEQUENCE_AT, digits.length()));
    }

    /** Returns the id of the job as which groups deliver the entry: the {@linkplain io.headgate.queues.Lease#id id of its leases}. */
    public JobId jobId() {
        byte[] digits = new byte[JOB_DIGITS];
        Arrays.fill(digits, 0, 2, (byte) '0');
        putDigits(millis, digits, 2, SEQUENCE_AT);
        putDigits(sequence, digits, SEQUENCE_AT, JOB_DIGITS);
        return new JobId(new String(digits, StandardCharsets.ISO_8859_1));
    }

    private static void putDigits(long number, byte[] into, int from, int to) {
        long rest = number;
        for (int at = to - 1; at >= from; at--) {
            into[at] = (byte) HEX.toLowHexDigit((int) rest);
            rest >>>= 4;
        }
    }

    @Override
    public int compareTo(EntryId other) {
        int byMillis = Long.compare(millis, other.millis);
        return byMillis != 0 ? byMillis : Long.compareUnsigned(sequence, other.sequence);
    }

    /** Returns the id in the format of Redis, such as {@code 1718000000000-0}. */
    @Override
    public String toString() {
        return millis + "-" + Long.toUnsignedString(sequence);
    }
}

package io.headgate.redis.queues.internal.job;

import io.headgate.queues.internal.JobBounds;
import io.headgate.queues.internal.Utf8;
import io.headgate.queues.worker.Settlement;
import io.headgate.redis.internal.script.Packed;
import java.time.Duration;

/**
 * The settlement of one claimed job of a queue.
 *
 * @param shard the shard of the job
 * @param token the token of its claim
 * @param ofJobs how many jobs the claim has
 * @param index the index of the job in its claim, from 1
 * @param action the packed action that settle_all in settle.lua reads
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record JobSettlement(int shard, byte[] token, int ofJobs, int index, byte[] action) implements Settlement {

    private static final byte[] ACK = {1};
    private static final byte[] ACK_WITH_RECORD = {2};
    private static final int WAIT_AGAIN = 3;
    private static final int DEAD_LETTER = 4;
    private static final int EXTEND = 5;

    @Override
    public Kind kind() {
        return switch (action[0]) {
            case WAIT_AGAIN -> action[1] == 0 ? Kind.HAND_BACK : Kind.RETRY;
            case DEAD_LETTER -> Kind.DEAD_LETTER;
            case EXTEND -> Kind.EXTEND;
            default -> Kind.ACK;
        };
    }

    /** Whether the script acknowledges the job without reading its record; only such acknowledgements are sent as ranges. */
    boolean isPlainAck() {
        // ack returns this array itself.
        return action == ACK;
    }

    /**
     * The action that acknowledges a job.
     *
     * @param withRecord whether the script must read the record of the job, because the job has a key or is kept; that costs more
     */
    public static byte[] ack(boolean withRecord) {
        return withRecord ? ACK_WITH_RECORD : ACK;
    }

    public static byte[] handBack(Duration delay) {
        return waitAgain(0, delay, "");
    }

    public static byte[] retry(Duration delay, String cause) {
        return waitAgain(1, delay, cause);
    }

    private static byte[] waitAgain(int failed, Duration delay, String cause) {
        byte[] text = truncated(cause);
        return new Packed()
                .number(WAIT_AGAIN, 1)
                .number(failed, 1)
                .number(Times.micros(delay), 7)
                .number(text.length, 2)
                .all(text)
                .bytes();
    }

    public static byte[] deadLetter(String cause) {
        byte[] text = truncated(cause);
        return new Packed()
                .number(DEAD_LETTER, 1)
                .number(text.length, 2)
                .all(text)
                .bytes();
    }

    public static byte[] extend(Duration lease) {
        return new Packed().number(EXTEND, 1).number(Times.micros(lease), 7).bytes();
    }

    /** Truncates the cause instead of rejecting it: the job must be settled, whatever its failure contains. */
    private static byte[] truncated(String cause) {
        return Utf8.of(Utf8.fitting(cause, JobBounds.MAX_CAUSE_BYTES));
    }
}

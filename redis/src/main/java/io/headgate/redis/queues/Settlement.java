package io.headgate.redis.queues;

import io.headgate.queues.internal.JobBounds;
import io.headgate.queues.internal.Settling;
import io.headgate.queues.internal.Utf8;
import io.headgate.redis.internal.Packed;
import java.time.Duration;
import java.util.List;

/**
 * What is said of one job in hand.
 *
 * @param shard where the job is
 * @param token the token of its claim
 * @param ofJobs how many jobs the claim has
 * @param index which of them it is, from 1 on
 * @param verb what came of it, as settle_all.lua takes it
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record Settlement(int shard, byte[] token, int ofJobs, int index, byte[] verb) implements Settling {

    private static final byte[] ACK = {1};
    private static final byte[] ACK_WITH_RECORD = {2};
    private static final int WAIT_AGAIN = 3;
    private static final int DEAD_LETTER = 4;
    private static final int EXTEND = 5;
    private static final int ACK_ALSO_NEXT = 6;

    @Override
    public Kind kind() {
        return switch (verb[0]) {
            case WAIT_AGAIN -> verb[1] == 0 ? Kind.HAND_BACK : Kind.RETRY;
            case DEAD_LETTER -> Kind.DEAD_LETTER;
            case EXTEND -> Kind.EXTEND;
            default -> Kind.ACK;
        };
    }

    /** That it is done, which is more to do where its record is looked at: for its key, or to keep it. */
    static byte[] ack(boolean withRecord) {
        return withRecord ? ACK_WITH_RECORD : ACK;
    }

    static byte[] handBack(Duration delay) {
        return waitAgain(0, delay, "");
    }

    static byte[] retry(Duration delay, String cause) {
        return waitAgain(1, delay, cause);
    }

    private static byte[] waitAgain(int failed, Duration delay, String cause) {
        byte[] text = cause(cause);
        return new Packed()
                .number(WAIT_AGAIN, 1)
                .number(failed, 1)
                .number(Times.micros(delay), 7)
                .number(text.length, 2)
                .all(text)
                .bytes();
    }

    static byte[] deadLetter(String cause) {
        byte[] text = cause(cause);
        return new Packed()
                .number(DEAD_LETTER, 1)
                .number(text.length, 2)
                .all(text)
                .bytes();
    }

    static byte[] extend(Duration lease) {
        return new Packed().number(EXTEND, 1).number(Times.micros(lease), 7).bytes();
    }

    /** Whatever a failure says, the job must be settled: nothing is refused here. */
    private static byte[] cause(String cause) {
        return Utf8.of(Utf8.fitting(cause, JobBounds.MAX_CAUSE_BYTES));
    }

    /**
     * What is said of jobs of one claim, in the order of their indexes, as settle_all.lua takes it: at once of all that are
     * simply done and follow one another.
     */
    static byte[] verbs(List<Settlement> ofOneClaim) {
        Packed verbs = new Packed();
        int from = 0;
        while (from < ofOneClaim.size()) {
            int done = acksFrom(ofOneClaim, from);
            Settlement first = ofOneClaim.get(from);
            // Nothing else is said of the claim: a lease that is named twice, or extended too, needs an answer each
            // time.
            if (done == first.ofJobs && done == ofOneClaim.size()) {
                return verbs.number(done, 2).bytes();
            }
            if (done > 1) {
                verbs.number(first.index, 2).number(ACK_ALSO_NEXT, 1).number(done, 2);
            } else {
                verbs.number(first.index, 2).all(first.verb);
            }
            from += Math.max(1, done);
        }
        return verbs.bytes();
    }

    /** How many from there on are simply done, and follow one another. */
    private static int acksFrom(List<Settlement> ofOneClaim, int from) {
        int first = ofOneClaim.get(from).index;
        int to = from;
        while (to < ofOneClaim.size()
                && ofOneClaim.get(to).verb == ACK
                && ofOneClaim.get(to).index == first + to - from) {
            to++;
        }
        return to - from;
    }
}

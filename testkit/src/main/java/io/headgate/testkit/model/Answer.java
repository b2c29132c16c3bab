package io.headgate.testkit.model;

import io.headgate.limits.Decision;
import java.util.stream.LongStream;

/**
 * What one rule says to a request.
 *
 * @param remaining permits that it would still admit
 * @param retryMicros until the request would be admitted, or {@link Decision#NOW} or {@link Decision#NEVER}
 * @param resetMicros until the limit is whole again, 0 when it is
 */
record Answer(long remaining, long retryMicros, long resetMicros) {

    boolean allowed() {
        return retryMicros == Decision.NOW;
    }

    /** The same when all that is still to come lies {@code micros} further away. */
    Answer later(long micros) {
        return new Answer(
                remaining,
                retryMicros > 0 ? retryMicros + micros : retryMicros,
                resetMicros > 0 ? resetMicros + micros : resetMicros);
    }

    LongStream outcome() {
        return LongStream.of(remaining, retryMicros, resetMicros);
    }
}

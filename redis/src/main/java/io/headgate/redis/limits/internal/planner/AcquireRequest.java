package io.headgate.redis.limits.internal.planner;

import io.headgate.limits.Attributes;
import io.headgate.limits.RequestId;
import org.jspecify.annotations.Nullable;

/**
 * A request to acquire permits under one version of a policy, as a value: what the script calls state, and nothing of the caller
 * that waits.
 *
 * @param keys the keys of the rules in Redis, in the order of the rules
 * @param requestedMicros when the request was made, by the clock of this process or by the one that the application passes in
 * @param requestedNanos the same by {@link System#nanoTime()}, for deadlines
 * @param id the id of the request; null where it has none
 */
@SuppressWarnings("ArrayRecordComponent") // never compared, and passed to the driver as they are
public record AcquireRequest(
        Attributes attributes,
        String[] keys,
        long permits,
        long requestedMicros,
        long requestedNanos,
        @Nullable Id id) {

    /** Whether the caller gave an id, and may repeat the request under it. */
    public boolean hasCallerId() {
        return id != null && !id.isGenerated();
    }

    /**
     * The id of a request, under which Redis keeps the decision for a while, and repeats it.
     *
     * @param keyText the id as a part of a key
     * @param isGenerated whether the engine made the id for this request, so that no caller knows it
     */
    public record Id(RequestId value, String keyText, boolean isGenerated) {

        /** An id that the caller gave. */
        public static Id of(RequestId id) {
            return new Id(id, KeyText.of(id.value()), false);
        }

        /** An id that the engine made. */
        public static Id generated(String text) {
            return new Id(RequestId.of(text), text, true);
        }
    }
}

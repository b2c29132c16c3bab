package io.headgate.redis.limits.internal.planner;

import io.headgate.limits.Attributes;
import io.headgate.limits.RequestId;
import org.jspecify.annotations.Nullable;

/**
 * A request to acquire permits under one version of a policy, as a value. It has what the script calls need, and no reference to the
 * waiting caller.
 *
 * @param keys the keys of the rules in Redis, in the order of the rules
 * @param requestedMicros when the request was made, by the clock of this process or by that of the application
 * @param requestedNanos when the request was made, by {@link System#nanoTime()}, for deadlines
 * @param id the id of the request; null if it has none
 */
@SuppressWarnings("ArrayRecordComponent") // never compared, and passed to the driver as they are
public record AcquireRequest(
        Attributes attributes,
        String[] keys,
        long permits,
        long requestedMicros,
        long requestedNanos,
        @Nullable Id id) {

    /**
     * The id that the caller gave to a request. Redis stores the decision under it for a while, and returns it again when the caller
     * retries the request.
     *
     * @param keyText the id, encoded as a part of a key
     */
    public record Id(RequestId value, String keyText) {

        public static Id of(RequestId id) {
            return new Id(id, KeyText.of(id.value()));
        }
    }
}

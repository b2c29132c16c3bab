package io.headgate.limits;

import io.headgate.limits.internal.Bounds;
import java.util.UUID;

/**
 * Identifies one request to a policy, so that retries are not charged again. Within the engine's {@code requestIdHorizon}, by default a
 * minute, a repeated id returns the first decision, from any process; see {@link Limiter#tryAcquire(PermitRequest)}.
 *
 * <p>Do not take the id from the client that you limit: a client that repeats an id is allowed each time, and charged once.
 *
 * @param value 1 to 128 characters of any kind; unique among the requests to a policy within that time
 */
public record RequestId(String value) {

    /**
     * Creates an id.
     *
     * @throws IllegalArgumentException if the length is not 1 to 128
     */
    public RequestId {
        Bounds.inRange("length of a request id", value.length(), 1, 128);
    }

    /** Returns an id that the application already has for the request, such as that of an order or a message. */
    public static RequestId of(String value) {
        return new RequestId(value);
    }

    /** Returns a new random id. */
    public static RequestId random() {
        return new RequestId(UUID.randomUUID().toString());
    }
}

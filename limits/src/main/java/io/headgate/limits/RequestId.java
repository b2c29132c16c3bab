package io.headgate.limits;

import io.headgate.limits.internal.Bounds;
import java.util.UUID;

/**
 * Names one request to a policy, so that it is charged once however often it is asked: the same id asked again within the
 * engine's horizon gets the same decision, from whichever process. Whoever chooses it says what is one request: so never
 * take it from those who are to be limited.
 *
 * @param value 1 to 128 of any characters; unique among the requests to a policy within the horizon
 */
public record RequestId(String value) {

    /** Checks the length. */
    public RequestId {
        Bounds.inRange("length of a request id", value.length(), 1, 128);
    }

    /** An id that the application has for the request: of an order, a message. */
    public static RequestId of(String value) {
        return new RequestId(value);
    }

    /** A new one. */
    public static RequestId random() {
        return new RequestId(UUID.randomUUID().toString());
    }
}

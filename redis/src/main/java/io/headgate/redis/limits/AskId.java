package io.headgate.redis.limits;

import io.headgate.limits.RequestId;

/**
 * The id of a request.
 *
 * @param text as part of a key
 * @param isOwn whether nobody else knows it, as it was made for this request
 */
record AskId(RequestId id, String text, boolean isOwn) {

    /** One that the caller gave. */
    static AskId of(RequestId id) {
        return new AskId(id, KeyText.of(id.value()), false);
    }

    /** One that was made. */
    static AskId own(String text) {
        return new AskId(RequestId.of(text), text, true);
    }
}

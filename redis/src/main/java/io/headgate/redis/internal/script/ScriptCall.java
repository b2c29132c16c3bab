package io.headgate.redis.internal.script;

import org.jspecify.annotations.Nullable;

/**
 * One script call as a value: what to run, on which keys, with which arguments, and how to read the reply. Whoever
 * makes it does no I/O; whoever sends it knows nothing of limits.
 *
 * @param script what runs
 * @param keys every key that it touches; in ASCII
 * @param arguments the rest, in the order that the script's file says
 * @param decoder reads the reply, which is a string of bytes, or several, joined
 * @param <T> what the reply means
 */
@SuppressWarnings("ArrayRecordComponent") // never compared, and passed to the driver as they are
public record ScriptCall<T>(Script script, String[] keys, byte[][] arguments, Decoder<T> decoder) {

    /** What the call concerns, for messages. */
    public String firstKey() {
        return keys.length == 0 ? "Redis" : keys[0];
    }

    /** What the bytes of a reply mean. */
    public interface Decoder<T> {

        /**
         * Reads a reply.
         *
         * @throws RuntimeException when no script answers so; its message says what came
         */
        T decode(byte[] reply);

        /**
         * Another call to make instead, when the script did nothing because it was not told enough, as the reply says; or
         * null.
         */
        default @Nullable ScriptCall<T> instead(byte[] reply) {
            return null;
        }
    }
}

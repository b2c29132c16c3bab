package io.headgate.redis.internal.script;

import org.jspecify.annotations.Nullable;

/**
 * A script call as a value: the script, its keys and arguments, and the decoder of its reply. Planners create it
 * without I/O; executors send it without any knowledge of limits or queues.
 *
 * @param script the script to run
 * @param keys all keys that the script accesses, in ASCII
 * @param arguments the arguments, in the order documented in the script's file
 * @param decoder decodes the reply, which is one byte string, or several concatenated ones
 * @param <T> the type of the decoded reply
 */
@SuppressWarnings("ArrayRecordComponent") // never compared, and passed to Lettuce without a copy
public record ScriptCall<T>(Script script, String[] keys, byte[][] arguments, Decoder<T> decoder) {

    /** The first key, for messages; {@code Redis} if there are none. */
    public String firstKey() {
        return keys.length == 0 ? "Redis" : keys[0];
    }

    /** Decodes the bytes of a reply. */
    public interface Decoder<T> {

        /**
         * Decodes a reply.
         *
         * @throws RuntimeException if no script returns such a reply; the message describes it
         */
        T decode(byte[] reply);

        /**
         * Returns the call to send next, if the reply states that the script did nothing because its arguments must be
         * different; else null.
         */
        default @Nullable ScriptCall<T> followUp(byte[] reply) {
            return null;
        }
    }
}

package io.headgate.redis.internal;

/**
 * A command outside of scripts that is sent right behind a script call, in the same write, and reads what that has let it see;
 * and one more behind it, whose reply is a number that nobody waits for. Redis may serve others between them.
 *
 * @param command its words, the first of which is its name
 * @param after the words of the one behind it, which may be sent again
 * @param decoder reads the reply, which is packed as {@link PackedOutput} says
 * @param <T> what the reply means
 */
@SuppressWarnings("ArrayRecordComponent") // never compared, and passed to the driver as they are
public record PlainCall<T>(String[] command, String[] after, ScriptCall.Decoder<T> decoder) {}

package io.headgate.redis.internal.script;

/**
 * A command, not a script, that is sent after a script call in the same write and reads what the script has prepared; followed by a
 * cleanup command, whose reply is a number that is ignored. Redis may serve other clients between them.
 *
 * @param command the words of the command, its name first
 * @param cleanup the words of the cleanup command, which is idempotent
 * @param decoder decodes the reply, whose elements are {@link Packed}
 * @param <T> the type of the decoded reply
 */
@SuppressWarnings("ArrayRecordComponent") // never compared, and passed to the driver as they are
public record TrailingCommand<T>(String[] command, String[] cleanup, ScriptCall.Decoder<T> decoder) {}

package io.headgate.redis.internal.script;

/**
 * A command, not a script, that is sent in the same write after a script call and reads what the script has prepared. A
 * cleanup command follows, whose reply is ignored. Redis may serve other clients between these commands.
 *
 * <p>If Redis does not have the script (NOSCRIPT), it runs the script after both commands. So the command must do nothing unless the
 * script has run before, and what the script has prepared must expire. The reply to the command is then the reply to doing nothing.
 *
 * @param command the name of the command and its arguments
 * @param cleanup the name and arguments of the cleanup command, which is idempotent
 * @param decoder decodes the reply, which the executor has encoded as MessagePack
 * @param <T> the type of the decoded reply
 */
@SuppressWarnings("ArrayRecordComponent") // never compared, and passed to Lettuce without a copy
public record TrailingCommand<T>(String[] command, String[] cleanup, ScriptCall.Decoder<T> decoder) {}

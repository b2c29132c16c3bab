package io.headgate.redis.internal.script;

/** Sends script calls, and script calls with a trailing command. */
public interface PairExecutor extends ScriptExecutor {

    /**
     * Sends the call and its trailing command in one write. Each is executed at most once and has a reply of its own.
     */
    <T, R> PairedReplies<T, R> execute(ScriptCall<T> call, TrailingCommand<R> trailing);
}

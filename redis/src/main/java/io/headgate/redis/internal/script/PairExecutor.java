package io.headgate.redis.internal.script;

/** Sends script calls, and script calls with a trailing command. */
public interface PairExecutor extends ScriptExecutor {

    /** Sends the call and, in the same write, its trailing command; each at most once, and each with a reply of its own. */
    <T, R> PairedReplies<T, R> execute(ScriptCall<T> call, TrailingCommand<R> trailing);
}

package io.headgate.redis.internal;

/** Sends script calls, and commands behind them. */
public interface PairExecutor extends ScriptExecutor {

    /**
     * Sends the call, and behind it, in the same write, a command outside of scripts; each once, and each with an answer of its
     * own.
     */
    <T, R> Replies<T, R> execute(ScriptCall<T> call, PlainCall<R> behind);
}

package io.headgate.redis.internal.script;

import java.util.concurrent.CompletableFuture;

/**
 * The replies to a script call and its trailing command. Each may fail independently of the other.
 *
 * @param script the reply of the script
 * @param trailing the reply of the command
 */
public record PairedReplies<T, R>(CompletableFuture<T> script, CompletableFuture<R> trailing) {}

package io.headgate.redis.internal;

import java.util.concurrent.CompletableFuture;

/**
 * The answers to a script call and to the command behind it; either may fail by itself.
 *
 * @param first that of the script
 * @param second that of the command
 */
public record Replies<T, R>(CompletableFuture<T> first, CompletableFuture<R> second) {}

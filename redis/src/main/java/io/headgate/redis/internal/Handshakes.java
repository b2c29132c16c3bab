package io.headgate.redis.internal;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * Connects so that whoever is refused hears why. When Redis refuses, the client library closes the connection, and once in some
 * hundred times (once in 240 on a busy machine) it tells that instead of the reason: that it was closed. So nobody would know a
 * wrong password from an outage. Then it is asked again.
 */
final class Handshakes {

    private static final int MOST = 3;

    private Handshakes() {}

    /** What comes of it; where the reason has got lost, what comes of the next of at most three. */
    static <C> CompletionStage<C> heard(Supplier<? extends CompletionStage<C>> connecting) {
        return heard(connecting, MOST - 1);
    }

    private static <C> CompletionStage<C> heard(Supplier<? extends CompletionStage<C>> connecting, int further) {
        CompletableFuture<C> connected = connecting.get().toCompletableFuture();
        return connected.exceptionallyCompose(problem ->
                further > 0 && RedisProblems.isReasonLost(problem) ? heard(connecting, further - 1) : connected);
    }
}

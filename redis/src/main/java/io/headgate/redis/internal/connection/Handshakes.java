package io.headgate.redis.internal.connection;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Connects so that whoever is refused hears why. When Redis refuses, the client library closes the connection, and once in 240
 * times, on a busy machine, it tells that instead of the reason: that it was closed. So nobody would know a wrong password from an
 * outage. Then it is asked once more. A connection that ends only after a while was not refused.
 */
public final class Handshakes {

    private static final long SOON_NANOS = TimeUnit.SECONDS.toNanos(1);

    private Handshakes() {}

    /**
     * What comes of it; where the reason has got lost, what comes of it the second time.
     *
     * @param isWanted whether anybody still waits for it: who closes the client cuts off what is being connected, too
     */
    public static <C> CompletionStage<C> heard(
            Supplier<? extends CompletionStage<C>> connecting, BooleanSupplier isWanted) {
        long begunNanos = System.nanoTime();
        CompletableFuture<C> connected = connecting.get().toCompletableFuture();
        return connected.exceptionallyCompose(problem -> {
            boolean isSoon = System.nanoTime() - begunNanos < SOON_NANOS;
            boolean isAgain = isSoon && RedisProblems.isReasonLost(problem) && isWanted.getAsBoolean();
            return isAgain ? connecting.get() : connected;
        });
    }
}

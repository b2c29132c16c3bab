package io.headgate.redis.internal.connection;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Connects so that a rejected connection fails with the reason. When Redis rejects the handshake, Lettuce closes the
 * connection and sometimes reports only that it was closed: once in 240 attempts, on a busy machine. A wrong password
 * would then look like an outage. In that case this class connects once more. It does so only within the first second,
 * because Redis rejects connections immediately.
 */
public final class Handshakes {

    private static final long SOON_NANOS = TimeUnit.SECONDS.toNanos(1);

    private Handshakes() {}

    /**
     * Connects; if the reason was lost, connects a second time and returns the outcome of that.
     *
     * @param isWanted whether the result is still awaited: closing the client also interrupts connection attempts
     */
    public static <C> CompletionStage<C> withReason(
            Supplier<? extends CompletionStage<C>> connecting, BooleanSupplier isWanted) {
        long startNanos = System.nanoTime();
        CompletableFuture<C> connected = connecting.get().toCompletableFuture();
        return connected.exceptionallyCompose(problem -> {
            boolean isSoon = System.nanoTime() - startNanos < SOON_NANOS;
            boolean isRetried = isSoon && RedisProblems.isReasonLost(problem) && isWanted.getAsBoolean();
            return isRetried ? connecting.get() : connected;
        });
    }
}

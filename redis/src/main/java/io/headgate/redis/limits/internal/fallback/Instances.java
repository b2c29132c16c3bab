package io.headgate.redis.limits.internal.fallback;

import io.headgate.redis.internal.script.RedisExecutor;
import io.headgate.redis.internal.script.Script;
import io.headgate.redis.internal.script.ScriptCall;
import io.netty.util.concurrent.ScheduledFuture;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The number of engines with this prefix on this Redis. Each reports every few seconds and receives the number. While Redis is not
 * available, the last number counts.
 */
public final class Instances {

    /** Several reports may be lost before an instance counts as gone; see instances.lua. */
    private static final Duration EVERY = Duration.ofMillis(2500);

    private static final byte[] STAYS = {'1'};
    private static final byte[] LEAVES = {'0'};

    private final RedisExecutor executor;
    private final Script script;
    private final String key;
    private final byte[] id = UUID.randomUUID().toString().getBytes(StandardCharsets.US_ASCII);
    private final AtomicReference<@Nullable ScheduledFuture<?>> schedule = new AtomicReference<>();
    private final InstanceCount count;

    /**
     * Creates an instance that does not report yet.
     *
     * @param expected the number of instances until Redis replies, including this one
     */
    public Instances(RedisExecutor executor, Script script, String key, int expected) {
        this.count = new InstanceCount(expected);
        this.executor = executor;
        this.script = script;
        this.key = key;
    }

    /** The number of instances, including this one. */
    int count() {
        return count.get();
    }

    /** Reports this instance from now on. */
    void begin() {
        if (schedule.get() == null) {
            ScheduledFuture<?> beats = executor.threads()
                    .next()
                    .scheduleWithFixedDelay(this::beat, EVERY.toMillis(), EVERY.toMillis(), TimeUnit.MILLISECONDS);
            if (schedule.compareAndSet(null, beats)) {
                beat();
            } else {
                beats.cancel(false);
            }
        }
    }

    /** Reports at once, if this instance reports at all, as earlier reports may be lost. */
    void beatNow() {
        if (schedule.get() != null) {
            beat();
        }
    }

    /** Reports this instance; completes with the number of instances. */
    CompletableFuture<Integer> beat() {
        return call(STAYS).whenComplete((there, problem) -> {
            if (there != null) {
                count.received(Math.max(1, there), System.nanoTime());
            } else {
                count.noReply();
            }
        });
    }

    private CompletableFuture<Integer> call(byte[] stays) {
        byte[][] arguments = {id, stays};
        return executor.execute(new ScriptCall<>(
                script,
                new String[] {key},
                arguments,
                reply -> Integer.parseInt(new String(reply, StandardCharsets.US_ASCII))));
    }

    /** Stops reporting, and unregisters this instance within the timeout. */
    void end(Duration atMost) {
        ScheduledFuture<?> beats = schedule.get();
        if (beats != null) {
            beats.cancel(false);
            if (atMost.isZero()) {
                return;
            }
            try {
                call(LEAVES).get(atMost.toMillis(), TimeUnit.MILLISECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (ExecutionException | TimeoutException e) {
                // It counts for a few seconds more.
                return;
            }
        }
    }
}

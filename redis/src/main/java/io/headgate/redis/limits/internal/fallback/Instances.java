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
 * How many engines with this prefix there are on this Redis: each says every few seconds that it is there, and is told the number. While
 * Redis is gone, it is as many as there were.
 */
public final class Instances {

    /** Several times before it counts as gone; see instances.lua. */
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
     * Those of an engine's Redis.
     *
     * @param expected how many there are as long as Redis has not said it, this one included
     */
    public Instances(RedisExecutor executor, Script script, String key, int expected) {
        this.count = new InstanceCount(expected);
        this.executor = executor;
        this.script = script;
        this.key = key;
    }

    /** How many there are, this one included. */
    int count() {
        return count.get();
    }

    /** From now on this one is there. */
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

    /** Says so at once, if it is there, as it may not have been heard before. */
    void beatNow() {
        if (schedule.get() != null) {
            beat();
        }
    }

    /** Says that it is there; completes with how many are. */
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

    /** It is not there any more, of which Redis is told, if it hears it within that time. */
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
                // It counts as there for a few seconds more.
                return;
            }
        }
    }
}

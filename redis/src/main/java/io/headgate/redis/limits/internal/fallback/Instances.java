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
 * Counts the engines with this key prefix on this Redis that share limits during an outage. Each registers every few seconds and receives
 * their number. While Redis is not available, the last number applies.
 */
public final class Instances {

    /**
     * A quarter of the time after which Redis drops an instance (see instances.lua), so that it remains counted even if some calls fail.
     */
    private static final Duration EVERY = Duration.ofMillis(2500);

    private static final byte[] REGISTER = {'1'};
    private static final byte[] UNREGISTER = {'0'};

    private final RedisExecutor executor;
    private final Script script;
    private final String key;
    private final byte[] id = UUID.randomUUID().toString().getBytes(StandardCharsets.US_ASCII);
    private final AtomicReference<@Nullable ScheduledFuture<?>> schedule = new AtomicReference<>();
    private final InstanceCount count;

    /**
     * Creates an instance that is not registered yet.
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

    /** Registers this instance, now and periodically. */
    void begin() {
        if (schedule.get() == null) {
            ScheduledFuture<?> registrations = executor.threads()
                    .next()
                    .scheduleWithFixedDelay(this::register, EVERY.toMillis(), EVERY.toMillis(), TimeUnit.MILLISECONDS);
            if (schedule.compareAndSet(null, registrations)) {
                register();
            } else {
                registrations.cancel(false);
            }
        }
    }

    /** Registers this instance immediately if it registers at all, as Redis may have lost its last registration. */
    void registerNow() {
        if (schedule.get() != null) {
            register();
        }
    }

    /** Registers this instance; completes with the number of instances. */
    CompletableFuture<Integer> register() {
        return call(REGISTER).whenComplete((reported, problem) -> {
            if (reported != null) {
                count.received(Math.max(1, reported), System.nanoTime());
            } else {
                count.noReply();
            }
        });
    }

    private CompletableFuture<Integer> call(byte[] action) {
        byte[][] arguments = {id, action};
        return executor.execute(new ScriptCall<>(
                script,
                new String[] {key},
                arguments,
                reply -> Integer.parseInt(new String(reply, StandardCharsets.US_ASCII))));
    }

    /** Unregisters this instance, and waits for that up to the given time; if it is zero, Redis is not called. */
    void end(Duration atMost) {
        ScheduledFuture<?> registrations = schedule.get();
        if (registrations != null) {
            registrations.cancel(false);
            if (atMost.isZero()) {
                return;
            }
            try {
                call(UNREGISTER).get(atMost.toMillis(), TimeUnit.MILLISECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (ExecutionException | TimeoutException e) {
                // Redis counts it for a few more seconds.
                return;
            }
        }
    }
}

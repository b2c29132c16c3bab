package io.headgate.redis.limits.internal.denials;

import io.headgate.limits.Policy;
import io.headgate.limits.internal.Pauses;
import io.headgate.limits.internal.Pauses.Target;
import io.headgate.redis.internal.connection.Signals;
import io.headgate.redis.internal.script.Packed;
import io.headgate.redis.internal.script.RedisExecutor;
import io.headgate.redis.internal.script.Script;
import io.headgate.redis.internal.script.ScriptCall;
import io.headgate.redis.internal.script.ScriptFiles;
import io.headgate.redis.limits.internal.planner.Keys;
import io.netty.util.concurrent.ScheduledFuture;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the pauses of an engine equal to those in Redis, from its first pausable policy on. It reads them when it is notified of a change,
 * and once per second, as a notification may be lost; Redis replies to such a poll with the pauses only if they have changed. A pause that
 * Redis has not confirmed is in force in this process, and is written with the next poll. Safe for use by any number of threads.
 */
public final class RedisPauses {

    private static final System.Logger LOG = System.getLogger(RedisPauses.class.getName());

    private static final long POLL_MILLIS = 1000;

    private static final ScriptFiles FILES = ScriptFiles.in("pauses", "pauses");
    private static final Script PAUSE = FILES.script("pause", Map.of());
    private static final Script RESUME = FILES.script("resume", Map.of());
    private static final Script READ = FILES.script("pauses", Map.of());

    /** All scripts. */
    static final List<Script> SCRIPTS = List.of(PAUSE, RESUME, READ);

    private final Pauses pauses;
    private final RedisExecutor executor;
    private final Signals signals;
    private final String[] keys;
    private final String channel;
    private final Runnable whenResumed;
    private final AtomicBoolean started = new AtomicBoolean();
    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by the lock.
    private @Nullable ScheduledFuture<?> polling;
    private String version = "";
    private boolean reading;
    private boolean readAgain;

    /** The pauses that Redis has not confirmed, with their ends by {@link System#nanoTime()}. */
    private final Map<Target, Long> unconfirmed = new HashMap<>();

    /**
     * Creates pauses that are not read yet.
     *
     * @param pauses receives the pauses
     * @param whenResumed runs when another instance may have ended a pause
     */
    public RedisPauses(Pauses pauses, Keys keys, RedisExecutor executor, Signals signals, Runnable whenResumed) {
        this.pauses = pauses;
        this.keys = new String[] {keys.pauses()};
        this.channel = keys.pauseChannel();
        this.executor = executor;
        this.signals = signals;
        this.whenResumed = whenResumed;
    }

    /** The pauses in force in this process. */
    public Pauses inForce() {
        return pauses;
    }

    /** Reads the pauses from now on if requests to this policy can be paused. */
    public void use(Policy policy) {
        if (policy.pausable() && started.compareAndSet(false, true)) {
            lock.lock();
            try {
                polling = executor.threads()
                        .next()
                        .scheduleWithFixedDelay(this::poll, POLL_MILLIS, POLL_MILLIS, TimeUnit.MILLISECONDS);
            } finally {
                lock.unlock();
            }
            signals.listen(channel, message -> read());
            read();
        }
    }

    /**
     * Pauses a target; in this process, before the method returns. Completes when Redis has confirmed the pause or has not replied, with
     * how long the target is paused, in microseconds.
     *
     * @throws io.headgate.limits.LimiterException if this process has too many pauses
     */
    public CompletableFuture<Long> pause(Target target, long micros) {
        long rest = pauses.pause(target, micros);
        lock.lock();
        try {
            unconfirmed.merge(target, System.nanoTime() + TimeUnit.MICROSECONDS.toNanos(micros), RedisPauses::later);
        } finally {
            lock.unlock();
        }
        return write(target, micros).handle((reply, problem) -> {
            if (problem != null) {
                LOG.log(Level.WARNING, "a pause is in force in this process only, until Redis replies: " + problem);
                return rest;
            }
            if (reply.isEmpty()) {
                pauses.resume(target);
                throw Pauses.tooMany(target.policy());
            }
            return pauses.pause(target, Long.parseLong(reply));
        });
    }

    private static long later(long nanos, long other) {
        return nanos - other >= 0 ? nanos : other;
    }

    private CompletableFuture<String> write(Target target, long micros) {
        byte[][] arguments = {text(target), Packed.text(micros), channel.getBytes(StandardCharsets.US_ASCII)};
        return executor.execute(new ScriptCall<>(PAUSE, keys, arguments, RedisPauses::ascii))
                .whenComplete((reply, problem) -> {
                    if (reply != null) {
                        confirmed(target, micros);
                    }
                });
    }

    private void confirmed(Target target, long micros) {
        lock.lock();
        try {
            Long endNanos = unconfirmed.get(target);
            // A longer pause may have been added meanwhile, whose call is in flight.
            if (endNanos != null && endNanos - System.nanoTime() <= TimeUnit.MICROSECONDS.toNanos(micros)) {
                unconfirmed.remove(target);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Ends the pause of a target. Completes with whether it was paused. */
    public CompletableFuture<Boolean> resume(Target target) {
        byte[][] arguments = {text(target), channel.getBytes(StandardCharsets.US_ASCII)};
        return executor.execute(new ScriptCall<>(RESUME, keys, arguments, RedisPauses::ascii))
                .thenApply(reply -> {
                    lock.lock();
                    try {
                        unconfirmed.remove(target);
                    } finally {
                        lock.unlock();
                    }
                    boolean wasPausedHere = pauses.resume(target);
                    return wasPausedHere || reply.equals("1");
                });
    }

    private void poll() {
        List<Map.Entry<Target, Long>> missing;
        long nowNanos = System.nanoTime();
        lock.lock();
        try {
            unconfirmed.values().removeIf(endNanos -> endNanos - nowNanos <= 0);
            missing = new ArrayList<>(Map.copyOf(unconfirmed).entrySet());
        } finally {
            lock.unlock();
        }
        if (executor.isConnected()) {
            missing.forEach(pause ->
                    write(pause.getKey(), Math.max(1, TimeUnit.NANOSECONDS.toMicros(pause.getValue() - nowNanos))));
            read();
        }
    }

    /** Reads the pauses. While a read is in flight, another one follows it, as the first may not include the latest change. */
    private void read() {
        byte[][] arguments;
        lock.lock();
        try {
            readAgain = reading;
            if (reading) {
                return;
            }
            reading = true;
            arguments = new byte[][] {version.getBytes(StandardCharsets.US_ASCII)};
        } finally {
            lock.unlock();
        }
        executor.execute(new ScriptCall<>(READ, keys, arguments, RedisPauses::ascii))
                .whenComplete((reply, problem) -> received(reply));
    }

    /** Replaces the pauses by those of a reply; null if the call failed. */
    private void received(@Nullable String reply) {
        boolean again;
        boolean resumed = false;
        lock.lock();
        try {
            reading = false;
            again = readAgain && reply != null;
            readAgain = false;
            if (reply != null && !reply.isEmpty()) {
                resumed = replace(reply);
            }
        } finally {
            lock.unlock();
        }
        if (resumed) {
            whenResumed.run();
        }
        if (again) {
            read();
        }
    }

    private boolean replace(String reply) {
        String[] lines = reply.split("\n");
        Map<Target, Long> rests = new HashMap<>();
        for (int i = 1; i < lines.length; i++) {
            int space = lines[i].indexOf(' ');
            rests.put(target(lines[i].substring(space + 1)), Long.parseLong(lines[i].substring(0, space)));
        }
        long nowNanos = System.nanoTime();
        unconfirmed.forEach((target, endNanos) -> {
            long rest = TimeUnit.NANOSECONDS.toMicros(endNanos - nowNanos);
            if (rest > 0) {
                rests.merge(target, rest, Math::max);
            }
        });
        version = lines[0];
        return pauses.replaceAll(rests);
    }

    /** Stops the polls. */
    public void close() {
        lock.lock();
        try {
            if (polling != null) {
                polling.cancel(false);
            }
        } finally {
            lock.unlock();
        }
        pauses.clear();
    }

    /** Encodes a target: {@code partners partner=acme}. The ids are encoded as in keys, and so have neither blanks nor line breaks. */
    private static byte[] text(Target target) {
        StringBuilder text = new StringBuilder(target.policy());
        for (int i = 0; i < target.dimensions().size(); i++) {
            text.append(' ')
                    .append(target.dimensions().get(i))
                    .append('=')
                    .append(target.ids().get(i));
        }
        return text.toString().getBytes(StandardCharsets.US_ASCII);
    }

    private static Target target(String text) {
        String[] parts = text.split(" ");
        List<String> dimensions = new ArrayList<>();
        List<String> ids = new ArrayList<>();
        for (int i = 1; i < parts.length; i++) {
            int equals = parts[i].indexOf('=');
            dimensions.add(parts[i].substring(0, equals));
            ids.add(parts[i].substring(equals + 1));
        }
        return new Target(parts[0], List.copyOf(dimensions), List.copyOf(ids));
    }

    private static String ascii(byte[] reply) {
        return new String(reply, StandardCharsets.US_ASCII);
    }
}

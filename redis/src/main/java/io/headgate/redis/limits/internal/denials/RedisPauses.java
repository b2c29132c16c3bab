package io.headgate.redis.limits.internal.denials;

import io.headgate.limits.Policy;
import io.headgate.limits.internal.Pauses;
import io.headgate.limits.internal.Pauses.Target;
import io.headgate.redis.internal.script.RedisExecutor;
import io.headgate.redis.limits.internal.planner.Keys;
import io.netty.util.concurrent.ScheduledFuture;
import java.lang.System.Logger.Level;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the pauses of an engine equal to those in Redis, from its first pausable policy on. It reads them when it is notified of a change,
 * and once per second, as a notification may be lost; Redis replies to such a poll with the pauses only if they have changed. A pause that
 * Redis has not confirmed is in force in this process, and is written by the next polls.
 *
 * <p>Each change is made in this process and sent while the lock is held, and Redis replies in the order of the calls. So a reply never
 * reverts a later change. Safe for use by any number of threads.
 */
public final class RedisPauses {

    private static final System.Logger LOG = System.getLogger(RedisPauses.class.getName());

    private static final long POLL_MILLIS = 1000;

    /** After this number of polls, the next one reads all pauses even if none has changed. */
    private static final int POLLS_UNTIL_FULL_READ = 60;

    /** The most unconfirmed pauses that a poll writes. */
    private static final int WRITES_PER_POLL = 16;

    private static final String NOT_SENT = "pauses of this process may not be in force in other instances";
    private static final String NOT_RECEIVED = "pauses of other instances may not be in force here";

    private final Pauses pauses;
    private final RedisExecutor executor;
    private final PauseCalls calls;
    private final Consumer<Runnable> subscribe;
    private final Runnable whenResumed;
    private final AtomicBoolean started = new AtomicBoolean();
    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by the lock.
    private @Nullable ScheduledFuture<?> polling;
    private String version = "";
    private boolean reading;
    private boolean readAgain;
    private boolean closed;
    private boolean failing;
    private int polls;

    /** The pauses that Redis has not confirmed, with their ends by {@link System#nanoTime()}. */
    private final Map<Target, Long> unconfirmed = new HashMap<>();

    /**
     * Creates pauses that are not read yet.
     *
     * @param pauses receives the pauses
     * @param subscribe lets a task run whenever an instance has changed the pauses, or may have
     * @param whenResumed runs when a pause has ended early
     */
    public RedisPauses(
            Pauses pauses, Keys keys, RedisExecutor executor, Consumer<Runnable> subscribe, Runnable whenResumed) {
        this.pauses = pauses;
        this.calls = new PauseCalls(executor, keys);
        this.executor = executor;
        this.subscribe = subscribe;
        this.whenResumed = whenResumed;
    }

    /** The pauses in force in this process. */
    public Pauses inForce() {
        return pauses;
    }

    /** Reads the pauses from now on if requests to this policy can be paused. */
    public void use(Policy policy) {
        if (policy.pausable() && started.compareAndSet(false, true)) {
            locked(this::startPolls);
            subscribe.accept(this::read);
            read();
        }
    }

    private void startPolls() {
        if (!closed) {
            polling = executor.threads()
                    .next()
                    .scheduleWithFixedDelay(this::poll, POLL_MILLIS, POLL_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    /**
     * Pauses a target; in this process, before the method returns. Completes when Redis has confirmed the pause or has not replied, with
     * how long the target is paused, in microseconds.
     *
     * @throws io.headgate.limits.LimiterException if this process has too many pauses
     */
    public CompletableFuture<Long> pause(Target target, long micros) {
        CompletableFuture<Optional<Long>> written;
        long rest;
        lock.lock();
        try {
            rest = pauses.pause(target, micros);
            long endNanos = System.nanoTime() + TimeUnit.MICROSECONDS.toNanos(micros);
            unconfirmed.merge(target, endNanos, RedisPauses::later);
            written = write(target, micros, endNanos);
        } finally {
            lock.unlock();
        }
        return written.handle((reply, problem) -> {
            if (reply == null) {
                failed(NOT_SENT, problem);
                return rest;
            }
            if (reply.isEmpty()) {
                pauses.resume(target);
                throw Pauses.tooMany(target.policy());
            }
            return pauses.pause(target, reply.get());
        });
    }

    private static long later(long nanos, long other) {
        return nanos - other >= 0 ? nanos : other;
    }

    /** Writes a pause with this end. Requires the lock. */
    private CompletableFuture<Optional<Long>> write(Target target, long micros, long endNanos) {
        return calls.pause(target, micros).whenComplete((reply, problem) -> {
            if (reply != null) {
                confirmed(target, endNanos);
            }
        });
    }

    /** Notes that Redis has replied. A longer pause, which was added meanwhile, stays unconfirmed until its own reply. */
    private void confirmed(Target target, long endNanos) {
        locked(() -> {
            unconfirmed.remove(target, endNanos);
            version = "";
        });
    }

    private void locked(Runnable change) {
        lock.lock();
        try {
            change.run();
        } finally {
            lock.unlock();
        }
    }

    /** Ends the pause of a target. Completes with whether it was paused. */
    public CompletableFuture<Boolean> resume(Target target) {
        lock.lock();
        try {
            // Removed before the call, so that no poll writes it after the call.
            Long before = unconfirmed.remove(target);
            return calls.resume(target)
                    .whenComplete((wasPaused, problem) -> {
                        if (problem != null && before != null) {
                            locked(() -> unconfirmed.merge(target, before, RedisPauses::later));
                        }
                    })
                    .thenApply(wasPaused -> resumed(target) || before != null || wasPaused);
        } finally {
            lock.unlock();
        }
    }

    /** Ends a pause in this process, unless it was set again while the call was in flight. Returns whether it was in force. */
    private boolean resumed(Target target) {
        boolean wasPaused;
        lock.lock();
        try {
            version = "";
            wasPaused = !unconfirmed.containsKey(target) && pauses.resume(target);
        } finally {
            lock.unlock();
        }
        whenResumed.run();
        return wasPaused;
    }

    /** Writes unconfirmed pauses, and reads all. */
    void poll() {
        lock.lock();
        try {
            long nowNanos = System.nanoTime();
            unconfirmed.values().removeIf(endNanos -> endNanos - nowNanos <= 0);
            Map.copyOf(unconfirmed).entrySet().stream()
                    .limit(WRITES_PER_POLL)
                    .forEach(pause -> rewrite(pause.getKey(), pause.getValue(), nowNanos));
            polls++;
            if (polls % POLLS_UNTIL_FULL_READ == 0) {
                version = "";
            }
        } catch (RuntimeException e) {
            // An exception would end the polls.
            failed(NOT_SENT, e);
        } finally {
            lock.unlock();
        }
        read();
    }

    /** Writes a pause that Redis has not confirmed. */
    private void rewrite(Target target, long endNanos, long nowNanos) {
        long micros = Math.max(1, TimeUnit.NANOSECONDS.toMicros(endNanos - nowNanos));
        write(target, micros, endNanos).thenAccept(reply -> {
            if (reply.isEmpty()) {
                LOG.log(Level.WARNING, "a pause ends early: " + Pauses.tooMany(target.policy()));
            }
        });
    }

    /** Logs a failure once, until Redis replies again. */
    private void failed(String consequence, @Nullable Throwable problem) {
        locked(() -> {
            if (!failing && !closed) {
                LOG.log(Level.WARNING, consequence, problem);
            }
            failing = true;
        });
    }

    /** Reads the pauses. While a read is in flight, another one follows it, as the first may not include the latest change. */
    private void read() {
        lock.lock();
        try {
            readAgain = reading;
            if (reading || closed) {
                return;
            }
            reading = true;
            calls.read(version).whenComplete((reply, problem) -> {
                received(problem == null, problem == null ? reply : Optional.empty());
                if (problem != null) {
                    failed(NOT_RECEIVED, problem);
                }
            });
        } finally {
            lock.unlock();
        }
    }

    private void received(boolean replied, Optional<PauseCalls.InForce> stored) {
        boolean again;
        boolean resumed;
        lock.lock();
        try {
            reading = false;
            again = readAgain && replied;
            readAgain = false;
            failing = failing && !replied;
            resumed = stored.isPresent() && replace(stored.get());
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

    private boolean replace(PauseCalls.InForce stored) {
        Map<Target, Long> rests = new HashMap<>(stored.rests());
        long nowNanos = System.nanoTime();
        unconfirmed.forEach((target, endNanos) -> {
            long rest = TimeUnit.NANOSECONDS.toMicros(endNanos - nowNanos);
            if (rest > 0) {
                rests.merge(target, rest, Math::max);
            }
        });
        version = stored.version();
        return pauses.replaceAll(rests);
    }

    /** Stops the polls, and ends all pauses in this process. */
    public void close() {
        locked(() -> {
            closed = true;
            if (polling != null) {
                polling.cancel(false);
            }
        });
        pauses.clear();
    }
}

package io.headgate.redis.limits.internal.bans;

import io.headgate.limits.TimeSource;
import io.headgate.limits.bans.BanTarget;
import io.headgate.limits.internal.bans.BanIndex;
import io.headgate.limits.internal.bans.KnownBan;
import io.headgate.redis.internal.connection.RedisProblems;
import io.headgate.redis.internal.script.RedisExecutor;
import io.headgate.redis.limits.internal.bans.BanCalls.Position;
import io.headgate.redis.limits.internal.bans.BanCalls.Stored;
import io.netty.util.concurrent.ScheduledFuture;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the index of this process equal to the entries in Redis. It reads the changes when it is notified of one, and once per second, as a
 * notification may be lost. Redis replies with the changes after the last one that this process has. After an outage, and if Redis has lost
 * the latest changes, it reads all entries. Until it has all of them, the earlier ones stay in force.
 *
 * <p>Replies are handled in the order of the calls, so none reverts a later change. Safe for use by any number of threads.
 */
final class BanReader {

    private static final System.Logger LOG = System.getLogger(BanReader.class.getName());

    private static final long POLL_MILLIS = 1000;

    private final BanIndex index;
    private final BanCalls calls;
    private final RedisExecutor executor;
    private final TimeSource time;
    private final Consumer<Consumer<String>> subscribe;
    private final Runnable whenAllowed;
    private final AtomicBoolean started = new AtomicBoolean();
    private final AtomicBoolean subscribed = new AtomicBoolean();
    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by the lock.
    private @Nullable ScheduledFuture<?> polling;
    private Position position = Position.START;
    private boolean reading;
    private boolean readAgain;
    private boolean failing;
    private boolean closed;

    /** The callers that wait until all entries are read. */
    private final List<CompletableFuture<Void>> readers = new ArrayList<>();

    /** The entries of a reading of all of them, whose last page has not arrived; null while only changes are read. */
    private @Nullable Map<BanTarget, KnownBan> staged = new HashMap<>();

    /** Creates a reader that has not read anything yet; {@link RedisBans} describes the parameters. */
    BanReader(
            BanIndex index,
            BanCalls calls,
            RedisExecutor executor,
            TimeSource time,
            Consumer<Consumer<String>> subscribe,
            Runnable whenAllowed) {
        this.index = index;
        this.calls = calls;
        this.executor = executor;
        this.time = time;
        this.subscribe = subscribe;
        this.whenAllowed = whenAllowed;
    }

    /** Reads the bans from now on, because the engine has a limiter or its bans are needed; does nothing when called again. */
    void use() {
        if (started.get() || !started.compareAndSet(false, true)) {
            return;
        }
        locked(() -> polling = closed
                ? null
                : executor.threads()
                        .next()
                        .scheduleWithFixedDelay(this::poll, POLL_MILLIS, POLL_MILLIS, TimeUnit.MILLISECONDS));
        read();
    }

    /** Sends a change. Under the lock, so that its reply is handled before that of a read which is sent later. */
    <T> CompletableFuture<T> send(Supplier<CompletableFuture<T>> change) {
        lock.lock();
        try {
            return change.get();
        } finally {
            lock.unlock();
        }
    }

    /** Makes a change that Redis has made: adds the entry of a target, or removes it if there is none. */
    void changed(BanTarget target, Optional<Stored> stored) {
        locked(() -> apply(target, stored));
    }

    private void apply(BanTarget target, Optional<Stored> stored) {
        if (stored.isEmpty()) {
            index.remove(target);
        } else if (!closed) {
            index.put(known(stored.get()));
        }
        if (staged != null) {
            // A page that was sent before this change may have arrived without it.
            stage(staged, target, stored);
        }
    }

    private void stage(Map<BanTarget, KnownBan> to, BanTarget target, Optional<Stored> stored) {
        to.remove(target);
        stored.ifPresent(one -> to.put(target, known(one)));
    }

    private KnownBan known(Stored stored) {
        long endMicros =
                stored.restMicros() == Long.MAX_VALUE ? Long.MAX_VALUE : time.nowMicros() + stored.restMicros();
        return new KnownBan(stored.entry(), endMicros);
    }

    private void locked(Runnable change) {
        lock.lock();
        try {
            change.run();
        } finally {
            lock.unlock();
        }
    }

    /** Receives the messages about changes from now on; does nothing when called again. */
    void subscribe() {
        if (subscribed.compareAndSet(false, true)) {
            subscribe.accept(this::notified);
        }
    }

    private void notified(String message) {
        if (message.isEmpty()) {
            // Perhaps from another Redis, after a failover.
            reread();
        } else {
            read();
        }
    }

    private void poll() {
        try {
            index.removeEnded();
            read();
        } catch (RuntimeException e) {
            // An exception would end the polls.
            LOG.log(Level.WARNING, "reading bans failed", e);
        }
    }

    /** Reads all entries. Completes when this process has them. */
    CompletableFuture<Void> readAll() {
        use();
        CompletableFuture<Void> done = new CompletableFuture<>();
        locked(() -> {
            readers.add(done);
            startOver();
        });
        read();
        return done;
    }

    /** Reads all entries instead of the changes, as Redis may have lost some. */
    void reread() {
        if (started.get()) {
            locked(this::startOver);
            read();
        }
    }

    /** Requires the lock. */
    private void startOver() {
        position = Position.START;
        staged = new HashMap<>();
    }

    /** Reads the changes. While a read is in flight, another one follows it, as the first may not include the latest change. */
    private void read() {
        lock.lock();
        try {
            readAgain = reading;
            if (reading || closed) {
                return;
            }
            reading = true;
            Position from = position;
            calls.read(from).whenComplete((reply, problem) -> received(from, reply, problem));
        } finally {
            lock.unlock();
        }
    }

    private void received(Position from, BanCalls.@Nullable Read reply, @Nullable Throwable problem) {
        boolean again;
        boolean isUsed;
        List<CompletableFuture<Void>> done = List.of();
        lock.lock();
        try {
            reading = false;
            again = handle(from, reply, problem) || (readAgain && reply != null);
            isUsed = !position.equals(Position.START) && !position.version().equals("0");
            if (staged == null || reply == null) {
                done = List.copyOf(readers);
                readers.clear();
            }
        } finally {
            lock.unlock();
        }
        if (isUsed) {
            subscribe();
        }
        if (reply != null && reply.page().isPresent()) {
            whenAllowed.run();
        }
        done.forEach(reader -> complete(reader, problem));
        if (again) {
            read();
        }
    }

    /** Handles a reply, or its absence; returns whether another call must follow at once. Requires the lock. */
    private boolean handle(Position from, BanCalls.@Nullable Read reply, @Nullable Throwable problem) {
        if (reply == null) {
            failed(problem);
            return false;
        }
        failing = false;
        // The position differs if an outage has ended meanwhile.
        if (reply.mustReread() || !from.equals(position)) {
            startOver();
            return true;
        }
        reply.page().ifPresent(this::apply);
        return reply.page().filter(BanCalls.Page::hasMore).isPresent();
    }

    private static void complete(CompletableFuture<Void> reader, @Nullable Throwable problem) {
        if (problem == null) {
            reader.complete(null);
        } else {
            reader.completeExceptionally(problem);
        }
    }

    /** Makes the changes of a page. Requires the lock. */
    private void apply(BanCalls.Page page) {
        position = page.position();
        Map<BanTarget, KnownBan> all = staged;
        if (all == null) {
            page.changes().forEach(change -> apply(change.target(), change.stored()));
            return;
        }
        page.changes().forEach(change -> stage(all, change.target(), change.stored()));
        if (!page.hasMore()) {
            index.replaceAll(closed ? List.of() : all.values());
            staged = null;
        }
    }

    /**
     * Logs once until Redis replies again. An outage matters only if there are bans; an error that Redis replies, such as a missing right,
     * matters in any case. Requires the lock.
     */
    private void failed(@Nullable Throwable problem) {
        boolean isReply = problem != null && RedisProblems.isErrorReply(problem);
        if (!failing && !closed && (isReply || !index.isEmpty())) {
            LOG.log(Level.WARNING, "bans of other instances may not be in force here", problem);
        }
        failing = true;
    }

    /** Stops the polls, and drops the entries in this process. */
    void close() {
        locked(() -> {
            closed = true;
            if (polling != null) {
                polling.cancel(false);
            }
            readers.forEach(reader -> reader.cancel(false));
        });
        index.clear();
    }
}

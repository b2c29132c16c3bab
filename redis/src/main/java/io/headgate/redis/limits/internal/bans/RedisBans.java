package io.headgate.redis.limits.internal.bans;

import io.headgate.limits.Attributes;
import io.headgate.limits.TimeSource;
import io.headgate.limits.bans.BanEntry;
import io.headgate.limits.bans.BanRequest;
import io.headgate.limits.bans.BanTarget;
import io.headgate.limits.bans.Bans;
import io.headgate.limits.internal.EngineState;
import io.headgate.limits.internal.bans.BanIndex;
import io.headgate.redis.internal.connection.BlockingCalls;
import io.headgate.redis.internal.script.RedisExecutor;
import io.headgate.redis.limits.internal.bans.BanCalls.Stored;
import io.headgate.redis.limits.internal.planner.Keys;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/** The bans of an engine on Redis. All entries are also in the index of this process. */
public final class RedisBans implements Bans {

    private final BanIndex index;
    private final BanCalls calls;
    private final BanReader reader;
    private final BlockingCalls blocking;
    private final EngineState state;
    private final Runnable whenAllowed;

    /**
     * Creates bans that are not read yet.
     *
     * @param index receives the entries
     * @param time the clock of the index
     * @param subscribe calls a function with each message about a change, and with an empty one if messages may have been lost
     * @param whenAllowed runs when a change may allow waiting requests
     */
    public RedisBans(
            BanIndex index,
            Keys keys,
            RedisExecutor executor,
            BlockingCalls blocking,
            EngineState state,
            TimeSource time,
            Consumer<Consumer<String>> subscribe,
            Runnable whenAllowed) {
        this.index = index;
        this.calls = new BanCalls(executor, keys);
        this.reader = new BanReader(index, calls, executor, time, subscribe, whenAllowed);
        this.blocking = blocking;
        this.state = state;
        this.whenAllowed = whenAllowed;
    }

    /** Reads the bans from now on, because the engine has a limiter or its bans are needed; does nothing when called again. */
    public void use() {
        reader.use();
    }

    /** Reads all entries instead of the changes, as Redis may have lost some. */
    public void reread() {
        reader.reread();
    }

    /**
     * Reads all entries, and blocks until this process has them.
     *
     * @throws io.headgate.limits.LimiterException if Redis does not reply
     */
    public void awaitRead() {
        blocking.ofManyCalls().await("read", reader::readAll);
    }

    @Override
    public BanEntry add(BanRequest request) {
        state.requireOpen();
        BanCalls.Added added = blocking.await(
                "add",
                () -> reader.send(() -> calls.add(request).thenApply(reply -> {
                    reply.stored().ifPresent(stored -> reader.changed(request.target(), reply.stored()));
                    return reply;
                })));
        if (added.problem().isPresent()) {
            throw added.problem().get();
        }
        reader.subscribe();
        if (request.kind().isExemption()) {
            whenAllowed.run();
        }
        return added.stored().orElseThrow().entry();
    }

    @Override
    public Optional<BanEntry> lift(BanTarget target) {
        state.requireOpen();
        Optional<Stored> lifted = blocking.await(
                "lift",
                () -> reader.send(() -> calls.lift(target).thenApply(reply -> {
                    reader.changed(target, Optional.empty());
                    return reply;
                })));
        whenAllowed.run();
        return lifted.map(Stored::entry);
    }

    @Override
    public Optional<BanEntry> find(BanTarget target) {
        return Optional.ofNullable(index.get(target));
    }

    @Override
    public Optional<BanEntry> applicable(String policy, Attributes attributes) {
        return Optional.ofNullable(index.find(policy, attributes));
    }

    @Override
    public Set<String> attributes() {
        return index.attributes();
    }

    @Override
    public List<BanEntry> entries() {
        return index.entries();
    }

    @Override
    public long count(BanEntry.Kind kind) {
        return index.count(kind);
    }

    /** Stops the polls, and drops the entries in this process. */
    public void close() {
        reader.close();
    }
}

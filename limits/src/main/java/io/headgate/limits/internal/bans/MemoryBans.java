package io.headgate.limits.internal.bans;

import io.headgate.limits.Attributes;
import io.headgate.limits.TimeSource;
import io.headgate.limits.bans.BanEntry;
import io.headgate.limits.bans.BanRequest;
import io.headgate.limits.bans.BanTarget;
import io.headgate.limits.bans.Bans;
import io.headgate.limits.internal.EngineState;
import io.headgate.limits.internal.Micros;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** The bans of the engine in memory. */
public final class MemoryBans implements Bans {

    private final BanIndex index;
    private final TimeSource time;
    private final EngineState state;
    private final Runnable whenAllowed;
    private final ReentrantLock lock = new ReentrantLock();

    /**
     * Creates bans of an engine that has none yet.
     *
     * @param index receives the entries
     * @param whenAllowed runs when a change may allow waiting requests
     */
    public MemoryBans(BanIndex index, TimeSource time, EngineState state, Runnable whenAllowed) {
        this.index = index;
        this.time = time;
        this.state = state;
        this.whenAllowed = whenAllowed;
    }

    @Override
    public BanEntry add(BanRequest request) {
        state.requireOpen();
        BanEntry entry;
        lock.lock();
        try {
            index.removeEnded();
            BanEntry before = index.get(request.target());
            if (before == null) {
                requireRoom(request.target());
            } else if (before.kind() != request.kind()) {
                throw BanErrors.conflict(request, before.kind());
            }
            entry = entry(request, before, time.nowMicros());
            index.put(new KnownBan(entry, entry.until().map(Micros::of).orElse(Long.MAX_VALUE)));
        } finally {
            lock.unlock();
        }
        if (entry.kind().isExemption()) {
            whenAllowed.run();
        }
        return entry;
    }

    private void requireRoom(BanTarget target) {
        if (index.isFull(target)) {
            throw BanErrors.full(target);
        }
    }

    private static BanEntry entry(BanRequest request, @Nullable BanEntry before, long nowMicros) {
        Optional<Instant> until = request.duration().map(time -> Micros.toInstant(nowMicros + Micros.of(time)));
        Instant since = Micros.toInstant(nowMicros);
        if (before != null) {
            since = before.since();
            until = until.flatMap(end -> before.until().map(earlier -> earlier.isAfter(end) ? earlier : end));
        }
        return new BanEntry(request.target(), request.kind(), since, until, request.reason(), request.by());
    }

    @Override
    public Optional<BanEntry> lift(BanTarget target) {
        state.requireOpen();
        Optional<BanEntry> lifted;
        lock.lock();
        try {
            lifted = find(target);
            index.remove(target);
            index.removeEnded();
        } finally {
            lock.unlock();
        }
        whenAllowed.run();
        return lifted;
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
}

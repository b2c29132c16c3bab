package io.headgate.limits;

import io.headgate.limits.bans.Bans;
import io.headgate.limits.combined.CombinedDecision;
import io.headgate.limits.combined.CombinedRequest;
import io.headgate.limits.internal.ActionLimiters;
import io.headgate.limits.internal.BoundedId;
import io.headgate.limits.internal.Bounds;
import io.headgate.limits.internal.EngineState;
import io.headgate.limits.internal.HeapBounds;
import io.headgate.limits.internal.LimitListeners;
import io.headgate.limits.internal.LimiterRegistry;
import io.headgate.limits.internal.Pauses;
import io.headgate.limits.internal.ShadowCounts;
import io.headgate.limits.internal.ShadowPolicies;
import io.headgate.limits.internal.bans.BanIndex;
import io.headgate.limits.internal.bans.MemoryBans;
import io.headgate.limits.internal.bans.UncountedDecisions;
import io.headgate.limits.internal.inflight.InFlightEngine;
import io.headgate.limits.internal.inflight.MemoryHolds;
import io.headgate.limits.internal.inflight.StoreInFlightLimiter;
import io.headgate.limits.internal.memory.CombinedDecider;
import io.headgate.limits.internal.memory.Counters;
import io.headgate.limits.internal.memory.DecidedRequests;
import io.headgate.limits.internal.memory.InMemoryLimiter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * An engine that counts in the memory of this process, for tests and single-node applications. It enforces the same limits as the
 * engine on Redis, exactly, within this JVM.
 *
 * <p>It keeps up to {@link Builder#maxKeys} keys of all policies. From 1024 keys on, each new key evicts sampled keys whose counts have
 * had no effect for a minute. If the engine is full and the counts of all sixteen sampled keys still have an effect, the new key evicts
 * one of them: the key whose limit would be fully available first. The count of an evicted key restarts from zero. A key takes 150 to 600
 * bytes with its id, and in a sliding window up to 32 bytes more for each permit of its limit.
 *
 * <p>The engine records refunded decisions, up to a tenth of {@code maxKeys}; a record takes some 100 bytes. Beyond that it drops the
 * record of the oldest decision. If that decision still counted, the engine no longer refunds decisions that are as old or older. Safe
 * for use by any number of threads.
 */
public final class InMemoryLimitEngine implements LimitEngine {

    private final EngineState state = new EngineState(() -> "limits in memory");
    private final Counters counters;
    private final ActionLimiters actions = new ActionLimiters(this::limiter);
    private final DecidedRequests decided;
    private final UncountedDecisions uncounted;
    private final MemoryBans bans;
    private final TimeSource time;
    private final LimitListeners listeners;
    private final int maxKeys;
    private final ShadowCounts<Counters> shadowCounts = new ShadowCounts<>();
    private final LimiterRegistry<InMemoryLimiter> limiters = new LimiterRegistry<>(Limiter::policy);
    private final MemoryHolds holds;
    private final InFlightEngine inFlight;

    private InMemoryLimitEngine(Builder builder) {
        this.maxKeys = builder.maxKeys;
        this.counters = new Counters(maxKeys, state);
        this.decided = new DecidedRequests(builder.maxRequestIds, builder.requestIdHorizon);
        this.time = builder.time;
        this.uncounted = new UncountedDecisions(new BanIndex(time), new Pauses(time, BoundedId::of), time);
        this.bans = new MemoryBans(uncounted.bans(), time, state, () -> limiters.forEach(InMemoryLimiter::wakeAll));
        this.listeners = new LimitListeners(builder.listeners);
        this.holds = new MemoryHolds(time);
        this.inFlight = InFlightEngine.inMemory(holds, uncounted.bans(), listeners, state);
    }

    /** Returns an engine with the default settings, and the clock of this process. */
    public static InMemoryLimitEngine create() {
        return builder().build();
    }

    /** Returns a builder of engines. */
    public static Builder builder() {
        return new Builder();
    }

    @Override
    public Limiter limiter(Policy policy) {
        return limiters.add(new InMemoryLimiter(policy, counters, decided, uncounted, time, listeners));
    }

    /** The counts of each shadow have as many keys as all others together, at most. */
    @Override
    public Limiter shadowLimiter(Policy policy, String shadow) {
        return new InMemoryLimiter(
                ShadowPolicies.withoutSharedState(policy),
                shadowCounts.of(Bounds.name("shadow", shadow), () -> new Counters(maxKeys, state)),
                decided,
                uncounted,
                time,
                new LimitListeners(List.of()));
    }

    @Override
    public InFlightLimiter inFlight(InFlightPolicy policy) {
        state.requireOpen();
        return new StoreInFlightLimiter(policy, inFlight);
    }

    @Override
    public boolean allow(String user, String action, long permits, Duration window) {
        state.requireOpen();
        return actions.allow(user, action, permits, window);
    }

    @Override
    public CombinedDecision tryAcquire(CombinedRequest request) {
        return CombinedDecider.decide(request, counters, uncounted, listeners);
    }

    @Override
    public CompletionStage<CombinedDecision> tryAcquireAsync(CombinedRequest request) {
        return state.isClosed() ? state.failed() : CompletableFuture.completedFuture(tryAcquire(request));
    }

    @Override
    public Bans bans() {
        return bans;
    }

    /** Always {@link Health#HEALTHY}. */
    @Override
    public Health health() {
        return Health.HEALTHY;
    }

    @Override
    public Load load() {
        return new Load(state.waiting() + inFlight.waiting(), inFlight.heldPermits(), 0, 0);
    }

    @Override
    public List<Policy> policies() {
        return limiters.policies();
    }

    @Override
    public void addListener(LimitListener listener) {
        listeners.add(listener);
    }

    @Override
    public void removeListener(LimitListener listener) {
        listeners.remove(listener);
    }

    /** Returns the number of stored keys: one for each rule of a policy and each combination of ids that it has decided. */
    public long keys() {
        return counters.size();
    }

    /** Closes the engine and drops all counts; see {@link LimitEngine#close()} for the effect on later calls. */
    @Override
    public void close() {
        state.close(counters::clear);
        inFlight.close();
        holds.close(() -> state.problem(null));
        decided.clear();
        uncounted.pauses().clear();
        uncounted.bans().clear();
    }

    /** Builds an engine in memory. Not safe for use by several threads. */
    public static final class Builder {

        private TimeSource time = TimeSource.monotonic();
        private int maxKeys = HeapBounds.entries(4, HeapBounds.BYTES_PER_KEY, 1024, 1_000_000);
        private int maxRequestIds = HeapBounds.entries(16, 500, 1024, 100_000);
        private Duration requestIdHorizon = Bounds.REQUEST_ID_HORIZON;
        private final List<LimitListener> listeners = new ArrayList<>();

        private Builder() {}

        /**
         * Sets the clock of counts and of the leases of holds; by default, the clock of this process: {@link TimeSource#monotonic()}.
         * Calls that wait, and renewals of holds, always use {@link System#nanoTime()}.
         */
        public Builder time(TimeSource source) {
            this.time = Objects.requireNonNull(source, "source");
            return this;
        }

        /**
         * Sets how many keys the engine keeps at most, of all policies together: 1024 to 100 000 000. The default is what fits in a
         * quarter of the largest heap ({@code -Xmx}) at 600 bytes a key, at least 1024 and at most a million: 111 000 keys at 256 MiB.
         */
        public Builder maxKeys(int keys) {
            this.maxKeys = (int) Bounds.inRange("maxKeys", keys, 1024, 100_000_000);
            return this;
        }

        /**
         * Sets how long a decision is kept under its {@link RequestId} and returned to repeated requests: 1 second to 1 day, in whole
         * milliseconds; 1 minute by default.
         */
        public Builder requestIdHorizon(Duration horizon) {
            this.requestIdHorizon = Bounds.requestIdHorizon(horizon);
            return this;
        }

        /**
         * Sets how many decisions of requests with ids are kept; the oldest are evicted first: 1 to 100 000 000. The default is what
         * fits in a sixteenth of the largest heap at 500 bytes each, at least 1024 and at most 100 000.
         */
        public Builder maxRequestIds(int ids) {
            this.maxRequestIds = (int) Bounds.inRange("maxRequestIds", ids, 1, 100_000_000);
            return this;
        }

        /** Adds a listener; {@link LimitEngine#addListener} adds one to a running engine. */
        public Builder listener(LimitListener listener) {
            listeners.add(Objects.requireNonNull(listener, "listener"));
            return this;
        }

        /** Builds the engine. */
        public InMemoryLimitEngine build() {
            return new InMemoryLimitEngine(this);
        }
    }
}

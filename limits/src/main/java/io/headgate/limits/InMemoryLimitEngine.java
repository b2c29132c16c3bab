package io.headgate.limits;

import io.headgate.limits.combined.CombinedDecision;
import io.headgate.limits.combined.CombinedRequest;
import io.headgate.limits.internal.ActionLimiters;
import io.headgate.limits.internal.Bounds;
import io.headgate.limits.internal.EngineState;
import io.headgate.limits.internal.HeapBounds;
import io.headgate.limits.internal.LimitListeners;
import io.headgate.limits.internal.LimiterRegistry;
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
 * The engine in memory: the same limits, exact within this JVM, without Redis. For tests, and for a single node.
 *
 * <p>It keeps up to {@link Builder#maxKeys} keys of all policies. A full engine evicts keys whose counts have not mattered for a minute.
 * If all of sixteen sampled keys still matter, a new key evicts the one that would be whole again
 * first, whose count then starts over. A key takes 150 to 600 bytes with its id, and in a
 * sliding window up to 32 bytes more for each permit of its limit. It records up to a tenth as many refunded decisions, of
 * some 100 bytes each, and beyond that refuses to refund older decisions. Safe for use by any number of threads.
 */
public final class InMemoryLimitEngine implements LimitEngine {

    private final EngineState state = new EngineState(() -> "limits in memory");
    private final Counters counters;
    private final ActionLimiters actions = new ActionLimiters(this::limiter);
    private final DecidedRequests decided;
    private final TimeSource time;
    private final LimitListeners listeners;
    private final LimiterRegistry<Limiter> limiters = new LimiterRegistry<>(Limiter::policy);
    private final MemoryHolds holds;
    private final InFlightEngine inFlight;

    private InMemoryLimitEngine(Builder builder) {
        this.counters = new Counters(builder.maxKeys, state);
        this.decided = new DecidedRequests(builder.maxRequestIds, builder.requestIdHorizon);
        this.time = builder.time;
        this.listeners = new LimitListeners(builder.listeners);
        this.holds = new MemoryHolds(time);
        this.inFlight = InFlightEngine.inMemory(holds, listeners, state);
    }

    /** An engine with the clock of this process, for {@linkplain Builder#maxKeys as many keys} as suit the heap. */
    public static InMemoryLimitEngine create() {
        return builder().build();
    }

    /** Returns a builder of engines. */
    public static Builder builder() {
        return new Builder();
    }

    @Override
    public Limiter limiter(Policy policy) {
        return limiters.add(new InMemoryLimiter(policy, counters, decided, time, listeners));
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
        return CombinedDecider.decide(request, counters, listeners);
    }

    @Override
    public CompletionStage<CombinedDecision> tryAcquireAsync(CombinedRequest request) {
        return state.isClosed() ? state.failed() : CompletableFuture.completedFuture(tryAcquire(request));
    }

    /** Always {@link Health#HEALTHY}. */
    @Override
    public Health health() {
        return Health.HEALTHY;
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

    /** How many keys are kept now: one for each rule of a policy and each id that it has counted. */
    public long keys() {
        return counters.size();
    }

    /** Closes the engine and forgets all counts; {@link LimitEngine#close()} says what calls do afterwards. */
    @Override
    public void close() {
        state.close(counters::clear);
        inFlight.close();
        holds.close(() -> state.problem(null));
        decided.clear();
    }

    /** Collects what an engine in memory is made of. Not safe for use by several threads. */
    public static final class Builder {

        private TimeSource time = TimeSource.monotonic();
        private int maxKeys = HeapBounds.entries(4, HeapBounds.BYTES_PER_KEY, 1024, 1_000_000);
        private int maxRequestIds = HeapBounds.entries(16, 500, 1024, 100_000);
        private Duration requestIdHorizon = Bounds.REQUEST_ID_HORIZON;
        private final List<LimitListener> listeners = new ArrayList<>();

        private Builder() {}

        /** Takes the time from there instead of the clock of this process. */
        public Builder time(TimeSource source) {
            this.time = Objects.requireNonNull(source, "source");
            return this;
        }

        /**
         * Sets how many keys the engine keeps at most, of all policies together: 1024 to 100 000 000. The default is what fits in a
         * quarter of the largest heap ({@code -Xmx}) at 600 bytes a key, and at most a million: 111 000 keys at 256 MiB.
         */
        public Builder maxKeys(int keys) {
            this.maxKeys = (int) Bounds.inRange("maxKeys", keys, 1024, 100_000_000);
            return this;
        }

        /**
         * Answers a request whose {@link RequestId} was charged before as it was then, for so long: 1 second to 1 day; 1 minute
         * by default.
         */
        public Builder requestIdHorizon(Duration horizon) {
            this.requestIdHorizon = Bounds.requestIdHorizon(horizon);
            return this;
        }

        /**
         * Sets how many decisions of requests with ids are kept; the oldest are evicted first: 1 to 100 000 000. The default is what fits in
         * a sixteenth of the largest heap at 500 bytes each, and at most 100 000.
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

        /** The engine. */
        public InMemoryLimitEngine build() {
            return new InMemoryLimitEngine(this);
        }
    }
}

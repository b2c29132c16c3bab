package io.headgate.redis.limits;

import io.headgate.limits.AsyncLimiter;
import io.headgate.limits.Fallback;
import io.headgate.limits.Health;
import io.headgate.limits.InFlightLimiter;
import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.LimitEngine;
import io.headgate.limits.LimitListener;
import io.headgate.limits.Limiter;
import io.headgate.limits.LimiterException;
import io.headgate.limits.Policy;
import io.headgate.limits.RequestId;
import io.headgate.limits.TimeSource;
import io.headgate.limits.bans.Bans;
import io.headgate.limits.combined.CombinedDecision;
import io.headgate.limits.combined.CombinedRequest;
import io.headgate.limits.hotkeys.HotKeys;
import io.headgate.limits.internal.ActionLimiters;
import io.headgate.limits.internal.Bounds;
import io.headgate.limits.internal.EngineState;
import io.headgate.limits.internal.LimitListeners;
import io.headgate.limits.internal.LimiterRegistry;
import io.headgate.limits.internal.Pauses;
import io.headgate.limits.internal.ShadowPolicies;
import io.headgate.limits.internal.bans.BanIndex;
import io.headgate.limits.internal.bans.UncountedDecisions;
import io.headgate.redis.RedisSettings;
import io.headgate.redis.internal.cluster.RedisLinks;
import io.headgate.redis.internal.connection.BlockingCalls;
import io.headgate.redis.internal.connection.ConnectionSettings;
import io.headgate.redis.internal.connection.EngineFailures;
import io.headgate.redis.internal.connection.RedisLink;
import io.headgate.redis.internal.connection.Signals;
import io.headgate.redis.internal.script.ScriptCall;
import io.headgate.redis.limits.internal.CopyBound;
import io.headgate.redis.limits.internal.EngineParts;
import io.headgate.redis.limits.internal.ForeignKeys;
import io.headgate.redis.limits.internal.RedisAsyncLimiter;
import io.headgate.redis.limits.internal.RedisCombinedLimiter;
import io.headgate.redis.limits.internal.RedisLimiter;
import io.headgate.redis.limits.internal.ShadowLimiter;
import io.headgate.redis.limits.internal.bans.RedisBans;
import io.headgate.redis.limits.internal.calls.Coalescer;
import io.headgate.redis.limits.internal.calls.CombinedCalls;
import io.headgate.redis.limits.internal.calls.LimitFailures;
import io.headgate.redis.limits.internal.calls.MultiSlotCalls;
import io.headgate.redis.limits.internal.calls.PolicyCalls;
import io.headgate.redis.limits.internal.calls.RequestDeadlines;
import io.headgate.redis.limits.internal.denials.DenialCache;
import io.headgate.redis.limits.internal.denials.InvalidationBus;
import io.headgate.redis.limits.internal.denials.RedisPauses;
import io.headgate.redis.limits.internal.fallback.Fallbacks;
import io.headgate.redis.limits.internal.fallback.Instances;
import io.headgate.redis.limits.internal.fallback.RedisWatch;
import io.headgate.redis.limits.internal.inflight.RedisInFlight;
import io.headgate.redis.limits.internal.leases.PermitLeases;
import io.headgate.redis.limits.internal.planner.KeyText;
import io.headgate.redis.limits.internal.planner.Keys;
import io.headgate.redis.limits.internal.planner.PolicyPlanner;
import io.headgate.redis.limits.internal.planner.Scripts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The engine on Redis: limits that any number of processes share. A script decides a request by Redis's clock, in one call; on a Cluster, a
 * policy whose rules have keys in several slots needs a call for each rule. Each call is executed at most once.
 *
 * <pre>{@code
 * try (LimitEngine limits = RedisLimitEngine.connect("redis://localhost:6379")) {
 *     Limiter logins = limits.limiter("logins", Limit.slidingWindow(5, Duration.ofMinutes(1)));
 *     Decision decision = logins.tryAcquire("alice");
 * }
 * }</pre>
 *
 * <p>Requires Redis 6.2 or later, or Valkey: a single node, a primary with Sentinel, or a Cluster. One connection serves all threads; on a
 * Cluster, one to each master. With cached denials or waiting requests, one more connection receives the messages of other instances.
 */
public final class RedisLimitEngine implements LimitEngine {

    private static final System.Logger LOG = System.getLogger(RedisLimitEngine.class.getName());

    private final EngineState state = new EngineState(() -> "limits on " + description());
    private final EngineFailures failures =
            new EngineFailures(LimitFailures.INSTANCE, this::closed, this::foundForeign);
    private final ActionLimiters actions = new ActionLimiters(this::limiter);
    private final Keys keys;
    private final Scripts scripts;
    private final Duration timeout;
    private final Optional<TimeSource> time;
    private final RedisLink link;
    private final RequestDeadlines deadlines;
    private final boolean batching;
    private final Duration requestIdHorizon;

    /** Whether one call may have keys of several slots; false on a Cluster. */
    private final boolean severalSlots;

    private final PolicyCalls calls;
    private final PermitLeases leases;
    private final Signals signals;
    private final InvalidationBus invalidations;
    private final RedisPauses pauses;
    private final Optional<RedisBans> bans;
    private final ForeignKeys foreignKeys;
    private final Fallbacks fallbacks;
    private final EngineParts parts;
    private final RedisCombinedLimiter combined;

    private final DenialCache denials;

    private final AtomicInteger requestsInFlight = new AtomicInteger();
    private final int maxInFlightCalls;
    private final CopyBound copyBound;
    private final Optional<HotKeysWriter> hotKeysWriter;
    private final RedisInFlight inFlight;
    private final Optional<RuleBanRecords> ruleBans;

    private final AtomicBoolean closed = new AtomicBoolean();
    private final LimitListeners listeners;

    /** The asynchronous limiter of each policy, to which blocking limiters delegate. */
    private final LimiterRegistry<RedisAsyncLimiter> limiters = new LimiterRegistry<>(AsyncLimiter::policy);

    private RedisLimitEngine(Builder builder) {
        this.listeners = new LimitListeners(builder.listeners);
        this.keys = new Keys(builder.settings.keyPrefix());
        this.timeout = builder.settings.timeout();
        this.time = builder.time;
        this.batching = builder.batching;
        this.denials = new DenialCache(builder.maxCachedDenials, this::listen);
        this.scripts = new Scripts(time.isPresent());
        this.link = RedisLinks.open(builder.connection(), failures);
        this.deadlines = new RequestDeadlines(timeout, link.executor().threads());
        this.requestIdHorizon = builder.requestIdHorizon;
        this.signals = new Signals(link);
        this.invalidations = new InvalidationBus(builder.invalidations, keys, link.executor(), signals, denials);
        TimeSource clock = time.orElseGet(TimeSource::monotonic);
        UncountedDecisions uncounted =
                new UncountedDecisions(new BanIndex(clock), new Pauses(clock, KeyText::of), clock);
        this.bans = builder.bans
                ? Optional.of(new RedisBans(
                        uncounted.bans(),
                        keys,
                        link.executor(),
                        new BlockingCalls(timeout, failures, "of bans"),
                        state,
                        clock,
                        onMessage -> signals.listen(keys.banChannel(), onMessage),
                        invalidations::wakeAll))
                : Optional.empty();
        this.pauses = new RedisPauses(
                uncounted.pauses(),
                keys,
                link.executor(),
                changed -> signals.listen(keys.pauseChannel(), message -> changed.run()),
                invalidations::wakeAll);
        this.severalSlots = !builder.oneSlotACall && !link.executor().isCluster();
        MultiSlotCalls multiSlot = new MultiSlotCalls(link.executor(), invalidations, denials);
        this.calls = new PolicyCalls(link.executor(), multiSlot, denials);
        this.leases = new PermitLeases(calls, link.executor().threads(), invalidations, time.isEmpty());
        this.maxInFlightCalls = builder.settings.maxInFlightCalls();
        this.copyBound = new CopyBound(
                maxInFlightCalls,
                () -> Math.max(callsInFlight(), requestsInFlight()),
                () -> health() == Health.HEALTHY);
        this.foreignKeys = new ForeignKeys(link.description(), System::nanoTime);
        this.fallbacks = fallbacks(builder.expectedInstances);
        this.parts = new EngineParts(
                state,
                this::planner,
                calls,
                denials,
                this::coalescer,
                deadlines,
                leases,
                invalidations,
                pauses,
                bans,
                uncounted,
                listeners,
                fallbacks,
                builder.fallback,
                timeout,
                failures);
        this.combined = new RedisCombinedLimiter(
                parts,
                scripts,
                new CombinedCalls(link.executor(), multiSlot, deadlines, timeout),
                new BlockingCalls(timeout, failures, "of several policies"));
        this.hotKeysWriter = builder.hotKeys.map(
                hot -> new HotKeysWriter(hot, keys, scripts, link.executor(), builder.hotKeysInterval));
        this.ruleBans = builder.auditBans
                ? Optional.of(new RuleBanRecords(builder.settings.keyPrefix(), link.executor()))
                : Optional.empty();
        this.inFlight = new RedisInFlight(
                state,
                link,
                signals,
                fallbacks.state(),
                builder.fallback,
                new BlockingCalls(timeout, failures, "of in-flight limits"),
                builder.settings.keyPrefix(),
                KeyText::of,
                uncounted.bans(),
                time,
                listeners);
        this.fallbacks.watch().add(inFlight.reconciler());
        link.unreached().ifPresent(fallbacks.watch()::begin);
    }

    /**
     * Connects with the default settings. While Redis can't be reached, the engine connects in the background, and decides by {@linkplain
     * Fallback#local() local shares}.
     *
     * @param url such as {@code redis://localhost:6379}; {@link RedisSettings#of(String)} lists all forms
     * @throws IllegalArgumentException when the URL has none of these forms
     * @throws LimiterException when Redis rejects the user, the password or the database, or its certificate is not trusted
     */
    public static RedisLimitEngine connect(String url) {
        return builder(url).build();
    }

    /**
     * Connects. While Redis can't be reached, the engine connects in the background, and decides by {@linkplain Fallback#local() local
     * shares}, unless the settings {@linkplain RedisSettings#withRequiredConnection require a connection}.
     *
     * @throws LimiterException when Redis can't be reached and the settings require a connection; or when it rejects the user, the
     *     password or the database, or its certificate is not trusted
     */
    public static RedisLimitEngine connect(RedisSettings settings) {
        return builder(settings).build();
    }

    /**
     * Returns a builder of an engine with the default settings of a connection.
     *
     * @param url such as {@code redis://localhost:6379}; {@link RedisSettings#of(String)} lists all forms
     * @throws IllegalArgumentException when the URL has none of these forms
     */
    public static Builder builder(String url) {
        return builder(RedisSettings.of(url));
    }

    /** Returns a builder of an engine with these settings of its connection. */
    public static Builder builder(RedisSettings settings) {
        return new Builder(Objects.requireNonNull(settings, "settings"));
    }

    @Override
    public Limiter limiter(Policy policy) {
        state.requireOpen();
        return new RedisLimiter(
                limiters.add(new RedisAsyncLimiter(policy, parts)),
                new BlockingCalls(timeout, failures, "of policy " + policy.name()));
    }

    @Override
    public Limiter shadowLimiter(Policy policy, String shadow) {
        state.requireOpen();
        Keys names = keys.ofShadow(Bounds.name("shadow", shadow));
        EngineParts shadowParts = parts.withShadowKeys(version -> planner(version, names));
        return new RedisLimiter(
                new ShadowLimiter(ShadowPolicies.withoutSharedState(policy), shadowParts, copyBound),
                new BlockingCalls(timeout, failures, "of policy " + policy.name() + " in shadow " + shadow));
    }

    @Override
    public boolean allow(String user, String action, long permits, Duration window) {
        state.requireOpen();
        return actions.allow(user, action, permits, window);
    }

    @Override
    public CombinedDecision tryAcquire(CombinedRequest request) {
        return combined.await(request);
    }

    @Override
    public CompletionStage<CombinedDecision> tryAcquireAsync(CombinedRequest request) {
        return combined.tryAcquire(request);
    }

    private Optional<RuntimeException> closed(@Nullable Throwable cause) {
        return state.isClosed() ? Optional.of(state.problem(cause)) : Optional.empty();
    }

    private void foundForeign(List<String> keysOfCall) {
        // The audit log is no key of a limit: requests are decided without it.
        if (ruleBans.filter(records -> records.hasKeys(keysOfCall)).isEmpty()) {
            foreignKeys.found(keysOfCall);
        }
    }

    /** Creates the planner of a version of a policy. A version with a ban may be an update of one without. */
    private PolicyPlanner planner(Policy version) {
        if (version.rules().stream().anyMatch(rule -> rule.ban().isPresent())) {
            ruleBans.ifPresent(records -> listeners.add(records.listener()));
        }
        return planner(version, keys);
    }

    private PolicyPlanner planner(Policy version, Keys names) {
        return new PolicyPlanner(version, names, scripts, time, requestIdHorizon, severalSlots);
    }

    private Fallbacks fallbacks(int expectedInstances) {
        return new Fallbacks(
                this::planner,
                calls,
                time.orElseGet(TimeSource::monotonic),
                timeout,
                new Instances(link.executor(), scripts.instances(), keys.instances(), expectedInstances),
                time.isEmpty(),
                reconciler -> new RedisWatch(
                        link.executor(),
                        scripts.probe(),
                        keys,
                        link.description(),
                        listeners,
                        reconciler,
                        this::onRecovery));
    }

    /**
     * Runs when Redis is available after an outage, or for the first time: drops cached denials, ends leases and rereads the bans, as
     * Redis may have been replaced or may have lost data.
     */
    private void onRecovery() {
        denials.clear(System.nanoTime());
        bans.ifPresent(RedisBans::reread);
        leases.renew();
        fallbacks.onRecovery();
    }

    /**
     * The last known number of instances that share limits during an outage, including this one. It is the {@linkplain
     * Builder#expectedInstances expected number} until Redis has counted them, and if no policy uses shares.
     */
    public int instances() {
        return fallbacks.instances();
    }

    /** Whether no usage that was admitted without Redis waits to be charged in Redis. Does not include holds of in-flight limits. */
    public boolean isSynced() {
        return fallbacks.reconciler().isSynced();
    }

    /**
     * Returns the bans and exemptions, which apply to the requests of all limiters of this engine.
     *
     * @throws IllegalStateException if the engine does not {@linkplain Builder#bans apply} them
     */
    @Override
    public Bans bans() {
        RedisBans applied = appliedBans();
        applied.use();
        return applied;
    }

    private RedisBans appliedBans() {
        return bans.orElseThrow(() -> new IllegalStateException(
                "limits on " + description() + " have no bans; build the engine without bans(false)"));
    }

    /**
     * Reads all bans and exemptions, for a program that needs them now and not soon after its start. Blocks.
     *
     * @throws LimiterException if Redis does not reply
     */
    public void readBans() {
        state.requireOpen();
        appliedBans().awaitRead();
    }

    @Override
    public Health health() {
        return fallbacks.watch().health();
    }

    @Override
    public Load load() {
        return new Load(
                state.waiting() + inFlight.waiting(),
                inFlight.heldPermits(),
                leases.ids(),
                fallbacks.reconciler().unsyncedIds());
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

    /**
     * Describes a key of this engine that holds another program's value, and what to do; empty if no call failed because of such a key in
     * the last minute. If the failed call had several keys, all of them are named, as Redis does not report which one failed. The policy's
     * fallback decides requests for such a key; without a fallback, they fail. Redis decides all other requests.
     */
    public Optional<String> foreignKey() {
        return foreignKeys.problem();
    }

    @Override
    public InFlightLimiter inFlight(InFlightPolicy policy) {
        state.requireOpen();
        return inFlight.limiter(policy);
    }

    private Optional<Coalescer> coalescer(RequestDeadlines.Budget budget) {
        return batching
                ? Optional.of(new Coalescer(link.executor(), deadlines, budget, maxInFlightCalls, requestsInFlight))
                : Optional.empty();
    }

    /** Subscribes to the invalidations of other instances; runs whenever a denial is cached. */
    private void listen() {
        invalidations.subscribe();
    }

    /** The keys with the most requests and denials, over all instances that count them. */
    public RedisHotKeys hotKeys() {
        return new RedisHotKeys(keys, scripts, link.executor());
    }

    /** Writes the hot keys of this instance, as the engine does periodically. */
    CompletionStage<Void> writeHotKeys() {
        return hotKeysWriter.orElseThrow().write();
    }

    /** Refunds leased permits that were not spent in time, as the engine does in the background unless it decides by a given clock. */
    public void sweepLeases() {
        leases.sweep();
    }

    /** The number of policies with leases, including those whose limiters no longer exist. */
    public int leasedPolicies() {
        return leases.policies();
    }

    /** Sends any script; for tests. */
    <T> CompletionStage<T> execute(ScriptCall<T> call) {
        return link.executor().execute(call);
    }

    /** Completes when Redis replies; fails with a {@link LimiterException} if it does not within the timeout. */
    public CompletionStage<Void> ping() {
        ScriptCall<byte[]> ping = new ScriptCall<>(scripts.ping(), new String[0], new byte[0][], reply -> reply);
        return link.executor().execute(ping).thenAccept(pong -> {});
    }

    /** Describes the Redis for logs and web pages, without a password. */
    public String description() {
        return link.description();
    }

    /** The number of calls without a reply, including those that have timed out. */
    public int callsInFlight() {
        return link.executor().callsInFlight();
    }

    /** The number of batched requests without a reply, including those that wait to be sent. */
    public int requestsInFlight() {
        return requestsInFlight.get();
    }

    /**
     * Closes the connection, and the client unless it is the application's own; see {@link LimitEngine#close()}. Before that, the engine
     * releases open holds, which takes up to two seconds. Then it removes itself from the counted instances, refunds leased permits that
     * were not spent, and publishes pending invalidations; each of these takes up to the timeout. A failure of one of these steps is
     * logged. If a call in flight fails with an {@link IllegalStateException}, its cause is a {@link LimiterException} that reports whether
     * the call {@linkplain LimiterException#mayBeCharged() may be charged}.
     */
    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        List<Runnable> steps = List.of(
                state::close,
                inFlight::close,
                () -> fallbacks.close(timeout),
                () -> leases.close(timeout),
                () -> hotKeysWriter.ifPresent(HotKeysWriter::close),
                () -> ruleBans.ifPresent(RuleBanRecords::close),
                pauses::close,
                () -> bans.ifPresent(RedisBans::close),
                () -> invalidations.close(timeout),
                signals::close,
                link::close);
        steps.forEach(step -> LimitListeners.run(LOG, "closing limits on " + description(), step));
    }

    /** Builds an engine on Redis. Not safe for use by several threads. */
    public static final class Builder {

        private final RedisSettings settings;
        private Optional<TimeSource> time = Optional.empty();
        private final List<LimitListener> listeners = new ArrayList<>();
        private Fallback fallback = Fallback.local();
        private int expectedInstances = 1;
        private Optional<Duration> leastSilence = Optional.empty();

        private boolean batching = true;
        private int maxCachedDenials = 50_000;
        private boolean invalidations = true;
        private boolean bans = true;
        private boolean auditBans = true;
        private Optional<HotKeys> hotKeys = Optional.empty();
        private Duration hotKeysInterval = Duration.ofSeconds(10);
        private Duration requestIdHorizon = Bounds.REQUEST_ID_HORIZON;
        private boolean oneSlotACall;

        private Builder(RedisSettings settings) {
            this.settings = settings;
        }

        /**
         * Sets whether concurrent requests of a limiter are batched into one call; true by default. A single request is sent immediately
         * in either case, and each request is decided as if it had been sent alone.
         */
        public Builder batching(boolean batched) {
            batching = batched;
            return this;
        }

        /**
         * Sets the maximum number of denials of each rule that the engine caches in each second; 50 000 by default. While a denial is
         * cached, the engine denies requests for the same ids under the same limit without a call to Redis, except for one per second. At
         * 0, every request is sent. Denials by a policy with a rule that counts attempts are never cached.
         *
         * @param perRule 0 to 1 000 000
         */
        public Builder maxCachedDenials(int perRule) {
            maxCachedDenials = (int) Bounds.inRange("maxCachedDenials", perRule, 0, 1_000_000);
            return this;
        }

        /**
         * Sets whether this engine publishes refunds, resets and changed limits to other engines, and receives theirs; true by default.
         * Outdated denials are then dropped immediately, and a refund or reset wakes waiting callers. Without it, or when a message is
         * lost, an outdated denial is used for up to a second, and a waiting caller learns of the change at its next attempt. An engine
         * that has cached denials or waiting callers opens one more connection for this.
         */
        public Builder invalidations(boolean exchanged) {
            invalidations = exchanged;
            return this;
        }

        /**
         * Sets whether this engine applies bans and exemptions; true by default. An engine with a limiter polls Redis for them once a
         * second. Without them, it makes no such call, and {@link LimitEngine#bans()} fails.
         */
        public Builder bans(boolean applied) {
            bans = applied;
            return this;
        }

        /**
         * Sets whether this engine records each ban that it begins by a rule in the audit log in Redis; true by default. It does so after
         * the decision, with at most one call a second, and none without such a ban.
         */
        public Builder auditBans(boolean recorded) {
            auditBans = recorded;
            return this;
        }

        /**
         * Sets how long the decision on a charged request with a {@link RequestId} is stored, and returned for a retry: 1 second to 1
         * day, in whole milliseconds; 1 minute by default. Redis stores about 200 bytes for each such request.
         */
        public Builder requestIdHorizon(Duration horizon) {
            requestIdHorizon = Bounds.requestIdHorizon(horizon);
            return this;
        }

        /** Adds a listener; {@link LimitEngine#addListener} adds one to a running engine. */
        public Builder listener(LimitListener listener) {
            listeners.add(Objects.requireNonNull(listener, "listener"));
            return this;
        }

        /**
         * Sets the fallback of policies without one of their own; {@link Fallback#local()} by default. The engine's own client replaces a
         * silent connection after half a second, or with {@link Fallback#none()} after five seconds; in both cases, after the timeout if
         * that is longer.
         */
        public Builder fallback(Fallback byDefault) {
            fallback = Objects.requireNonNull(byDefault, "fallback");
            return this;
        }

        /**
         * Sets the number of instances that share limits, including this one: 1 to 10 000; 1 by default. It matters for an engine that
         * starts while Redis can't be reached: its {@linkplain Fallback#local() share} is the limit divided by this number. Once
         * Redis is available, it counts the instances.
         */
        public Builder expectedInstances(int instances) {
            expectedInstances = (int) Bounds.inRange("expectedInstances", instances, 1, 10_000);
            return this;
        }

        /**
         * Counts hot keys and writes them to Redis {@linkplain #hotKeysInterval every 10 seconds by default}: up to 16 KiB for each
         * instance, policy and minute. {@link RedisLimitEngine#hotKeys()} combines those of all instances. The next write includes the
         * counts of a failed one.
         */
        public Builder hotKeys(HotKeys counting) {
            hotKeys = Optional.of(counting);
            return listener(counting);
        }

        /** Sets the interval at which hot keys are written: 100 ms to 1 minute; 10 seconds by default. */
        public Builder hotKeysInterval(Duration interval) {
            if (interval.toMillis() < 100 || interval.compareTo(Duration.ofMinutes(1)) > 0) {
                throw new IllegalArgumentException("hotKeysInterval must be from 100 ms to 1 minute, was " + interval);
            }
            hotKeysInterval = interval;
            return this;
        }

        /** Sets the time without a reply after which a connection is replaced, at least the timeout; for tests. */
        Builder leastSilence(Duration least) {
            leastSilence = Optional.of(least);
            return this;
        }

        /** Limits each call to keys of one slot, as on a Cluster; for tests. */
        public Builder oneSlotACall() {
            oneSlotACall = true;
            return this;
        }

        /** Decides by this clock instead of Redis's; for tests of the scripts. */
        public Builder time(TimeSource source) {
            this.time = Optional.of(source);
            return this;
        }

        /**
         * Connects, and returns the engine. If Redis can't be reached within 5 seconds, or within the timeout that the URL or the
         * application's client sets, this method fails, or the engine connects in the background.
         *
         * @throws LimiterException when Redis can't be reached and a connection is {@linkplain RedisSettings#withRequiredConnection
         *     required}, which is the default with {@link Fallback#none()}; or when Redis rejects the user, the password or the database,
         *     or its certificate is not trusted
         */
        public RedisLimitEngine build() {
            return new RedisLimitEngine(this);
        }

        private ConnectionSettings connection() {
            boolean hasFallback = fallback.mode() != Fallback.Mode.NONE;
            // Each instance detects a dead connection by itself. While only some have returned from an outage, these
            // use the whole limit in Redis, and the others still use their shares. A short silence keeps that time
            // short.
            Duration least = leastSilence.orElse(hasFallback ? Duration.ofMillis(500) : Duration.ofSeconds(5));
            return new ConnectionSettings(settings, !hasFallback, least);
        }
    }
}

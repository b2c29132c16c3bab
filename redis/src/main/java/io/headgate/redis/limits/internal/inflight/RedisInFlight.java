package io.headgate.redis.limits.internal.inflight;

import io.headgate.limits.Fallback;
import io.headgate.limits.InFlightLimiter;
import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.TimeSource;
import io.headgate.limits.internal.Blocking;
import io.headgate.limits.internal.EngineState;
import io.headgate.limits.internal.LimitListeners;
import io.headgate.limits.internal.bans.BanIndex;
import io.headgate.limits.internal.inflight.HoldId;
import io.headgate.limits.internal.inflight.InFlightEngine;
import io.headgate.limits.internal.inflight.MemoryHolds;
import io.headgate.limits.internal.inflight.StoreInFlightLimiter;
import io.headgate.redis.internal.connection.BlockingCalls;
import io.headgate.redis.internal.connection.Reconciler;
import io.headgate.redis.internal.connection.RedisLink;
import io.headgate.redis.internal.connection.Signals;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/** The in-flight limits of an engine on Redis. */
public final class RedisInFlight implements AutoCloseable {

    private final InFlightEngine engine;
    private final FallbackHolds holds;
    private final HoldReconciler reconciler;

    /**
     * Creates an instance without holds.
     *
     * @param state the state of the engine
     * @param engineSignals receives the Pub/Sub messages of the engine's Redis; the engine closes it
     * @param redisState the state of its Redis
     * @param fallback the fallback of policies without one of their own
     * @param keyPrefix the prefix of every key
     * @param keyText encodes an id as part of a key
     * @param bans the bans that this process knows
     * @param time the clock of decisions in tests; Redis's own when empty
     */
    public RedisInFlight(
            EngineState state,
            RedisLink link,
            Signals engineSignals,
            RedisState redisState,
            Fallback fallback,
            BlockingCalls blocking,
            String keyPrefix,
            UnaryOperator<String> keyText,
            BanIndex bans,
            Optional<TimeSource> time,
            LimitListeners listeners) {
        HoldId.Source ids = new HoldId.Source();
        String sender = Long.toHexString(ids.engine());
        HoldKeys keys = new HoldKeys(keyPrefix, keyText);
        HoldPlanner planner = new HoldPlanner(keys, HoldScripts.of(time.isPresent()), sender, time);
        HoldSignals signals = new HoldSignals(engineSignals, keys, sender);
        RedisHolds redis = new RedisHolds(keys, planner, link.executor());
        LocalHolds local = new LocalHolds(ids.engine(), new MemoryHolds(time.orElseGet(TimeSource::monotonic)));
        BoundedCalls calls = new BoundedCalls(state, redisState, link.executor().threads());
        this.reconciler = new HoldReconciler(local, redis);
        this.holds = new FallbackHolds(redis, local, redisState, calls, fallback, blocking.timeout());
        this.engine = new InFlightEngine(
                state,
                holds,
                ids,
                bans,
                link.executor().threads(),
                new Cancelling(blocking, calls),
                listeners,
                signals::subscribe);
        signals.forwardTo(engine);
    }

    /** Creates a limiter of the policy. */
    public InFlightLimiter limiter(InFlightPolicy policy) {
        holds.begin(policy);
        return new StoreInFlightLimiter(policy, engine);
    }

    /** The number of requests that wait for holds. */
    public int waiting() {
        return engine.waiting();
    }

    /** The permits of the holds of this engine, except those with tickets. */
    public long heldPermits() {
        return engine.heldPermits();
    }

    /** Sends holds to Redis after an outage. */
    public Reconciler reconciler() {
        return reconciler;
    }

    /** Releases all holds, within two seconds. Call it before the link is closed. */
    @Override
    public void close() {
        engine.close();
    }

    /**
     * Waits for calls up to the timeout. Then the fallbacks complete overdue calls, and other calls are cancelled, so that a hold that
     * Redis grants later is released.
     */
    private record Cancelling(BlockingCalls blocking, BoundedCalls calls) implements Blocking {

        @Override
        public <T> T await(String operation, Supplier<CompletableFuture<T>> call) {
            return await(call, sent -> blocking.await(operation, sent));
        }

        @Override
        public <T> T awaitUninterruptibly(String operation, Supplier<CompletableFuture<T>> call) {
            return await(call, sent -> blocking.awaitUninterruptibly(operation, sent));
        }

        private <T> T await(
                Supplier<CompletableFuture<T>> call, Function<Supplier<CompletableFuture<T>>, T> blockingCall) {
            AtomicReference<CompletableFuture<T>> sent = new AtomicReference<>();
            try {
                return blockingCall.apply(() -> {
                    sent.set(call.get());
                    return sent.get();
                });
            } catch (RuntimeException e) {
                calls.expireOverdue();
                CompletableFuture<T> answer = sent.get();
                if (answer != null && !answer.cancel(false) && !answer.isCompletedExceptionally()) {
                    return answer.join();
                }
                throw e;
            }
        }
    }
}

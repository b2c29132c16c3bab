package io.headgate.redis.inflight;

import io.headgate.limits.Fallback;
import io.headgate.limits.InFlightLimiter;
import io.headgate.limits.InFlightListener;
import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.TimeSource;
import io.headgate.limits.internal.Blocking;
import io.headgate.limits.internal.EngineState;
import io.headgate.limits.internal.HoldId;
import io.headgate.limits.internal.InFlightEngine;
import io.headgate.limits.internal.MemoryHolds;
import io.headgate.redis.internal.Awaiting;
import io.headgate.redis.internal.Reconciler;
import io.headgate.redis.internal.RedisLink;
import io.headgate.redis.internal.Signals;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/** The half of the engine on Redis that limits what is in flight. */
public final class RedisInFlight implements AutoCloseable {

    private final InFlightEngine engine;
    private final FallbackHolds holds;
    private final HoldReconciler reconciler;

    /**
     * One without holds.
     *
     * @param state the state of the engine
     * @param heard are the signals of the engine's Redis, which whoever gives them closes
     * @param redisState what is known of its Redis
     * @param fallback what policies answer that say nothing
     * @param keyPrefix what every key begins with
     * @param keyText writes an id as part of a key
     * @param time is passed in, in tests, instead of Redis's own
     */
    public RedisInFlight(
            EngineState state,
            RedisLink link,
            Signals heard,
            RedisState redisState,
            Fallback fallback,
            Awaiting awaiting,
            String keyPrefix,
            UnaryOperator<String> keyText,
            Optional<TimeSource> time,
            List<InFlightListener> listeners) {
        HoldId.Source ids = new HoldId.Source();
        String sender = Long.toHexString(ids.engine());
        HoldKeys keys = new HoldKeys(keyPrefix, keyText);
        HoldPlanner planner = new HoldPlanner(keys, HoldScripts.of(time.isPresent()), sender, time);
        HoldSignals signals = new HoldSignals(heard, keys, sender);
        RedisHolds redis = new RedisHolds(keys, planner, link.executor());
        HeldHere here = new HeldHere(ids.engine(), new MemoryHolds(time.orElseGet(TimeSource::monotonic)));
        TimedCalls calls = new TimedCalls(state, redisState, link.executor().threads());
        this.reconciler = new HoldReconciler(here, redis);
        this.holds = new FallbackHolds(redis, here, redisState, calls, fallback, awaiting.timeout());
        this.engine = new InFlightEngine(
                state,
                holds,
                ids,
                link.executor().threads(),
                new Cancelling(awaiting, calls),
                listeners,
                signals::listen);
        signals.tell(engine);
    }

    /** A limiter of the policy. */
    public InFlightLimiter limiter(InFlightPolicy policy) {
        holds.begin(policy);
        return engine.limiter(policy);
    }

    /** Sends holds to Redis after an outage. */
    public Reconciler reconciler() {
        return reconciler;
    }

    /** Gives back what is held, which takes two seconds at most, before the link is closed. */
    @Override
    public void close() {
        engine.close();
    }

    /** A bounded wait, after which what is late is answered without Redis, or given up: what comes then must not stay taken. */
    private record Cancelling(Awaiting awaiting, TimedCalls calls) implements Blocking {

        /** One of the ways to wait. */
        @FunctionalInterface
        private interface Wait {

            <T> T on(String operation, Supplier<CompletableFuture<T>> call);
        }

        @Override
        public <T> T await(String operation, Supplier<CompletableFuture<T>> call) {
            return await(awaiting::await, operation, call);
        }

        @Override
        public <T> T awaitInAnyCase(String operation, Supplier<CompletableFuture<T>> call) {
            return await(awaiting::awaitInAnyCase, operation, call);
        }

        private <T> T await(Wait wait, String operation, Supplier<CompletableFuture<T>> call) {
            List<CompletableFuture<T>> asked = new ArrayList<>(1);
            try {
                return wait.on(operation, () -> {
                    CompletableFuture<T> answer = call.get();
                    asked.add(answer);
                    return answer;
                });
            } catch (RuntimeException e) {
                calls.endLate();
                for (CompletableFuture<T> answer : asked) {
                    if (answer.isDone() && !answer.isCompletedExceptionally()) {
                        return answer.join();
                    }
                    answer.cancel(false);
                }
                throw e;
            }
        }
    }
}

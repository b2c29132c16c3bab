package io.headgate.redis.inflight;

import io.headgate.limits.InFlightLimiter;
import io.headgate.limits.InFlightListener;
import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.TimeSource;
import io.headgate.limits.internal.Blocking;
import io.headgate.limits.internal.HoldId;
import io.headgate.limits.internal.InFlightEngine;
import io.headgate.redis.internal.Awaiting;
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

    /**
     * One without holds.
     *
     * @param heard are the signals of the engine's Redis, which whoever gives them closes
     * @param keyPrefix what every key begins with
     * @param keyText writes an id as part of a key
     * @param time is passed in, in tests, instead of Redis's own
     */
    public RedisInFlight(
            RedisLink link,
            Signals heard,
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
        this.engine = new InFlightEngine(
                new RedisHolds(keys, planner, link.executor()),
                ids,
                link.executor().threads(),
                new Cancelling(awaiting),
                listeners,
                signals::listen);
        signals.tell(engine);
    }

    /** A limiter of the policy. */
    public InFlightLimiter limiter(InFlightPolicy policy) {
        return engine.limiter(policy);
    }

    /** Gives back what is held, which takes two seconds at most, before the link is closed. */
    @Override
    public void close() {
        engine.close();
    }

    /** A bounded wait, after which the call is given up: what comes then must not stay taken. */
    private record Cancelling(Awaiting awaiting) implements Blocking {

        @Override
        public <T> T await(String operation, Supplier<CompletableFuture<T>> call) {
            List<CompletableFuture<T>> asked = new ArrayList<>(1);
            try {
                return awaiting.await(operation, () -> {
                    CompletableFuture<T> answer = call.get();
                    asked.add(answer);
                    return answer;
                });
            } catch (RuntimeException e) {
                asked.forEach(answer -> answer.cancel(false));
                throw e;
            }
        }
    }
}

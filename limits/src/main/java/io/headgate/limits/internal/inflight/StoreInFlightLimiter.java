package io.headgate.limits.internal.inflight;

import io.headgate.limits.AsyncInFlightLimiter;
import io.headgate.limits.Attributes;
import io.headgate.limits.Hold;
import io.headgate.limits.HoldTickets;
import io.headgate.limits.InFlight;
import io.headgate.limits.InFlightLimiter;
import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.PermitRequest;
import io.headgate.limits.internal.waiting.WaitAnswer;
import io.headgate.limits.internal.waiting.Waiting;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/** The in-flight limiter of any engine, and its asynchronous form. */
public final class StoreInFlightLimiter implements InFlightLimiter {

    private final InFlightEngine engine;
    private final Async async;
    private final ReentrantLock updating = new ReentrantLock();
    private volatile InFlightPolicy policy;

    /** Creates a limiter. All limiters of an engine whose policies have the same name share their holds. */
    public StoreInFlightLimiter(InFlightPolicy policy, InFlightEngine engine) {
        this.policy = policy;
        this.engine = engine;
        this.async = new Async();
    }

    @Override
    public InFlightPolicy policy() {
        return policy;
    }

    @Override
    public void update(InFlightPolicy updated) {
        engine.state().requireOpen();
        updating.lock();
        try {
            policy.requireUpdatable(updated);
            policy = updated;
        } finally {
            updating.unlock();
        }
        engine.changed(updated.name());
    }

    @Override
    public AsyncInFlightLimiter async() {
        return async;
    }

    @Override
    public Hold tryAcquire(String id) {
        Attributes attributes = policy.attributesOf(id);
        return await("hold", () -> attempt(attributes, 1));
    }

    @Override
    public Hold tryAcquire(PermitRequest request) {
        Attributes attributes = attributes(request);
        return await("hold", () -> attempt(attributes, request.permits()));
    }

    @Override
    public Hold acquire(PermitRequest request, Duration maxWait) throws InterruptedException {
        return Waiting.on(waiting(request, maxWait));
    }

    @Override
    public InFlight peek(PermitRequest request) {
        return await("peek", () -> async.peek(request).toCompletableFuture());
    }

    private <T> T await(String operation, Supplier<CompletableFuture<T>> call) {
        return engine.store().answersInAnyCase(policy)
                ? engine.blocking().awaitUninterruptibly(operation, call)
                : engine.blocking().await(operation, call);
    }

    @Override
    public boolean resetRule(String rule, Attributes attributes) {
        return engine.blocking()
                .await("reset", () -> async.resetRule(rule, attributes).toCompletableFuture());
    }

    private Attributes attributes(PermitRequest request) {
        return InFlightEngine.attributes(policy, request);
    }

    private CompletableFuture<Hold> attempt(Attributes attributes, long permits) {
        InFlightPolicy now = policy;
        HoldRequest request = new HoldRequest(now, attributes, permits);
        return engine.acquire(request, engine.store().places(now, attributes));
    }

    private HoldWait waiting(PermitRequest request, Duration maxWait) {
        Attributes attributes = attributes(request);
        long permits = request.permits();
        return engine.waiting(policy, attributes, permits, maxWait, () -> attempt(attributes, permits));
    }

    /** The asynchronous calls. */
    private final class Async implements AsyncInFlightLimiter {

        private final HoldTickets tickets = new StoreHoldTickets(this::policy, engine);

        @Override
        public InFlightPolicy policy() {
            return policy;
        }

        @Override
        public CompletionStage<Hold> tryAcquire(String id) {
            return attempt(policy.attributesOf(id), 1);
        }

        @Override
        public CompletionStage<Hold> tryAcquire(PermitRequest request) {
            return attempt(attributes(request), request.permits());
        }

        @Override
        public CompletionStage<Hold> acquire(PermitRequest request, Duration maxWait) {
            return new WaitAnswer<>(waiting(request, maxWait), Hold::close);
        }

        @Override
        public HoldTickets tickets() {
            return tickets;
        }

        @Override
        public CompletionStage<InFlight> peek(PermitRequest request) {
            InFlightPolicy now = policy;
            Attributes attributes = InFlightEngine.attributes(now, request);
            if (engine.state().isClosed()) {
                return engine.state().failed();
            }
            return engine.store().peek(now, engine.store().places(now, attributes));
        }

        @Override
        public CompletionStage<Boolean> resetRule(String rule, Attributes attributes) {
            InFlightPolicy now = policy;
            InFlightPolicy alone =
                    new InFlightPolicy(now.name(), List.of(now.rule(rule)), now.lease(), now.atMost(), now.fallback());
            return engine.reset(
                    now.name(), engine.store().places(alone, attributes).get(0));
        }
    }
}

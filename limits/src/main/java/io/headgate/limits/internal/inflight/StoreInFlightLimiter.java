package io.headgate.limits.internal.inflight;

import io.headgate.limits.AsyncInFlightLimiter;
import io.headgate.limits.Attributes;
import io.headgate.limits.Hold;
import io.headgate.limits.HoldRequest;
import io.headgate.limits.HoldTickets;
import io.headgate.limits.InFlight;
import io.headgate.limits.InFlightLimiter;
import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.InFlightRule;
import io.headgate.limits.internal.waiting.WaitAnswer;
import io.headgate.limits.internal.waiting.Waiting;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/** The in-flight limiter of any engine: the blocking and the asynchronous calls. */
public final class StoreInFlightLimiter implements InFlightLimiter {

    private final InFlightEngine engine;
    private final Async async;
    private final ReentrantLock updating = new ReentrantLock();
    private volatile InFlightPolicy policy;

    /** Creates a limiter, which shares holds with all whose policies have the same name. */
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
            policy = checked(policy, updated);
        } finally {
            updating.unlock();
        }
        engine.changed(updated.name());
    }

    private static InFlightPolicy checked(InFlightPolicy old, InFlightPolicy updated) {
        if (!updated.name().equals(old.name())) {
            throw new IllegalArgumentException("a limiter of policy " + old.name() + " can't become one of policy "
                    + updated.name() + "; make another limiter");
        }
        for (InFlightRule rule : updated.rules()) {
            for (InFlightRule before : old.rules()) {
                if (rule.name().equals(before.name()) && !rule.dimensions().equals(before.dimensions())) {
                    throw new IllegalArgumentException("rule " + rule.name() + " of policy " + old.name()
                            + " counts by " + before.dimensions() + ", was updated to " + rule.dimensions()
                            + "; it would count what holds of something else have, so give the rule another name");
                }
            }
        }
        return updated;
    }

    @Override
    public AsyncInFlightLimiter async() {
        return async;
    }

    @Override
    public Hold tryAcquire(Attributes attributes, long permits) {
        return await("hold", () -> attempt(attributes, permits));
    }

    @Override
    public Hold acquire(Attributes attributes, long permits, Duration maxWait) throws InterruptedException {
        return Waiting.on(waiting(attributes, permits, maxWait));
    }

    @Override
    public InFlight peek(Attributes attributes) {
        return await("peek", () -> async.peek(attributes).toCompletableFuture());
    }

    private <T> T await(String operation, Supplier<CompletableFuture<T>> call) {
        return engine.store().answersInAnyCase(policy)
                ? engine.blocking().awaitInAnyCase(operation, call)
                : engine.blocking().await(operation, call);
    }

    @Override
    public boolean reset(String rule, Attributes attributes) {
        return engine.blocking()
                .await("reset", () -> async.reset(rule, attributes).toCompletableFuture());
    }

    private CompletableFuture<Hold> attempt(Attributes attributes, long permits) {
        InFlightPolicy now = policy;
        HoldRequest request = new HoldRequest(now, attributes, permits);
        return engine.acquire(request, engine.store().places(now, attributes));
    }

    private HoldWait waiting(Attributes attributes, long permits, Duration maxWait) {
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
        public CompletionStage<Hold> tryAcquire(Attributes attributes, long permits) {
            return attempt(attributes, permits);
        }

        @Override
        public CompletionStage<Hold> acquire(Attributes attributes, long permits, Duration maxWait) {
            return new WaitAnswer<>(waiting(attributes, permits, maxWait), Hold::close);
        }

        @Override
        public HoldTickets tickets() {
            return tickets;
        }

        @Override
        public CompletionStage<InFlight> peek(Attributes attributes) {
            if (engine.state().isClosed()) {
                return engine.state().failed();
            }
            InFlightPolicy now = policy;
            return engine.store().peek(now, engine.store().places(now, attributes));
        }

        @Override
        public CompletionStage<Boolean> reset(String rule, Attributes attributes) {
            InFlightPolicy now = policy;
            List<String> places = engine.store().places(now, attributes);
            return engine.reset(now.name(), places.get(now.rules().indexOf(now.rule(rule))));
        }
    }
}

package io.headgate.spring.annotation;

import io.headgate.config.PolicyRegistry;
import io.headgate.http.Problem;
import io.headgate.http.RateLimitFields;
import io.headgate.limits.Decision;
import io.headgate.limits.Hold;
import io.headgate.limits.InFlightLimiter;
import io.headgate.limits.Limiter;
import io.headgate.limits.PermitRequest;
import io.headgate.spring.annotation.Admission.Admitted;
import io.headgate.spring.annotation.Admission.Charge;
import io.headgate.spring.annotation.Admission.Denied;
import io.headgate.spring.internal.DecisionObserver;
import io.headgate.spring.internal.DecisionObserver.Outcome;
import io.headgate.spring.internal.Futures;
import io.headgate.spring.web.InFlightExceededException;
import io.headgate.spring.web.LimitExceededException;
import io.headgate.spring.web.WebProperties;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Decides calls by the limits of their methods, one after another. A call that a limit denies keeps no permit of the others. If the engine
 * fails, that limit does not limit the call, and the failure is logged. Safe for use by any number of threads.
 */
final class LimitDecider {

    private static final int STATUS = 429;
    private static final String NOT_LIMITED = "the call is not limited";

    private final PolicyRegistry registry;
    private final WebProperties.Reset reset;
    private final int banStatus;
    private final DecisionObserver observer;

    /**
     * Creates a decider.
     *
     * @param banStatus the status of the response to a banned call
     */
    LimitDecider(PolicyRegistry registry, WebProperties.Reset reset, int banStatus, DecisionObserver observer) {
        this.registry = registry;
        this.reset = reset;
        this.banStatus = banStatus;
        this.observer = observer;
    }

    /**
     * Decides a call. Blocks until it is decided.
     *
     * @throws CancellationException if the thread is interrupted while it waits for permits; it stays interrupted
     */
    Admission decide(LimitedMethod method, MethodCall call) {
        try {
            return decide(method.limits(), call, null).join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : e;
        }
    }

    /** Decides a call without blocking. The future fails only if the attempt ends before the decision. */
    CompletableFuture<Admission> decideAsync(LimitedMethod method, MethodCall call, Attempt attempt) {
        return decide(method.limits(), call, attempt)
                .thenApply(decided -> decided instanceof Admitted admitted ? attempt.admitted(admitted) : decided);
    }

    /**
     * Decides by these limits.
     *
     * @param attempt null if each step blocks, so that all futures are complete
     */
    private CompletableFuture<Admission> decide(List<MethodLimit> limits, MethodCall call, @Nullable Attempt attempt) {
        return next(limits, 0, call, Admission.FREE, attempt);
    }

    private CompletableFuture<Admission> next(
            List<MethodLimit> limits, int index, MethodCall call, Admitted earlier, @Nullable Attempt attempt) {
        if (index == limits.size()) {
            return CompletableFuture.completedFuture(earlier);
        }
        CompletableFuture<Admission> decision = decide(limits.get(index), call, attempt);
        return decision.handle((decided, failure) -> {
                    if (decided instanceof Admitted admitted) {
                        return next(limits, index + 1, call, earlier.with(admitted), attempt);
                    }
                    CompletableFuture<Void> undone = earlier.undo();
                    return (attempt == null ? Futures.settled(undone) : undone).thenCompose(nothing -> decision);
                })
                .thenCompose(Function.identity());
    }

    private CompletableFuture<Admission> decide(MethodLimit limit, MethodCall call, @Nullable Attempt attempt) {
        CompletableFuture<Optional<PermitRequest>> request = limit.request(call);
        return (attempt == null ? Futures.settled(request) : request)
                .thenCompose(needed -> needed.isEmpty()
                        ? CompletableFuture.completedFuture(Admission.FREE)
                        : acquire(limit, needed.get(), attempt))
                .exceptionally(e -> unlimited(limit, e));
    }

    private static Admission unlimited(MethodLimit limit, Throwable e) {
        Throwable failure = e instanceof CompletionException && e.getCause() != null ? e.getCause() : e;
        if (failure instanceof CancellationException cancelled) {
            throw cancelled;
        }
        limit.failures().failed("", NOT_LIMITED, failure);
        return Admission.FREE;
    }

    private CompletableFuture<Admission> acquire(MethodLimit limit, PermitRequest request, @Nullable Attempt attempt) {
        boolean wait = limit.startWait();
        CompletableFuture<Admission> decision;
        try {
            decision = limit.inFlight() ? hold(limit, request, wait, attempt) : charge(limit, request, wait, attempt);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            CancellationException cancelled =
                    new CancellationException("interrupted while waiting for permits of policy " + limit.policy());
            cancelled.initCause(e);
            decision = CompletableFuture.failedFuture(cancelled);
        } catch (RuntimeException e) {
            decision = CompletableFuture.failedFuture(e);
        }
        return wait ? decision.whenComplete((decided, failure) -> limit.endWait()) : decision;
    }

    private CompletableFuture<Admission> charge(
            MethodLimit limit, PermitRequest needed, boolean wait, @Nullable Attempt attempt)
            throws InterruptedException {
        Limiter limiter = registry.findLimiter(limit.policy()).orElseThrow(() -> noPolicy(limit));
        PermitRequest request = limit.complete(needed, limiter.policy());
        if (attempt == null && !observer.isEnabled()) {
            return CompletableFuture.completedFuture(charged(
                    limit,
                    limiter,
                    request,
                    wait ? limiter.acquire(request, limit.maxWait()) : limiter.tryAcquire(request)));
        }
        CompletableFuture<Decision> started = wait
                ? limiter.async().acquire(request, limit.maxWait()).toCompletableFuture()
                : limiter.async().tryAcquire(request).toCompletableFuture();
        CompletableFuture<Decision> decision = observed(started, wait, attempt, Outcome::of);
        return decision.thenApply(decided -> charged(limit, limiter, request, decided));
    }

    /** Observes a decision. Waits for it if there is no attempt; otherwise, the end of the attempt ends the wait for permits. */
    private <T> CompletableFuture<T> observed(
            CompletableFuture<T> decision, boolean wait, @Nullable Attempt attempt, Function<T, Outcome> outcome)
            throws InterruptedException {
        observer.observe(decision, outcome);
        if (attempt == null) {
            return CompletableFuture.completedFuture(DecisionObserver.await(decision));
        }
        return wait ? attempt.waiting(decision) : decision;
    }

    private Admission charged(MethodLimit limit, Limiter limiter, PermitRequest request, Decision decision) {
        if (decision.allowed()) {
            return new Admitted(
                    List.of(new Charge(limit, limiter, request.attributesFor(limiter.policy()), decision)), List.of());
        }
        int status = decision.basis() == Decision.Basis.BANNED ? banStatus : STATUS;
        return new Denied(
                limit,
                new LimitExceededException(
                        Problem.denied(limiter.policy(), decision, status),
                        reset.in(RateLimitFields.of(decision), decision),
                        List.of(decision)));
    }

    private CompletableFuture<Admission> hold(
            MethodLimit limit, PermitRequest needed, boolean wait, @Nullable Attempt attempt)
            throws InterruptedException {
        InFlightLimiter limiter = registry.findInFlightLimiter(limit.policy()).orElseThrow(() -> noPolicy(limit));
        PermitRequest request = limit.complete(needed, limiter.policy());
        if (attempt == null && !observer.isEnabled()) {
            return CompletableFuture.completedFuture(held(
                    limit, limiter, wait ? limiter.acquire(request, limit.maxWait()) : limiter.tryAcquire(request)));
        }
        CompletableFuture<Hold> started = wait
                ? limiter.async().acquire(request, limit.maxWait()).toCompletableFuture()
                : limiter.async().tryAcquire(request).toCompletableFuture();
        CompletableFuture<Hold> hold = observed(started, wait, attempt, it -> Outcome.of(limit.policy(), it));
        return hold.thenApply(decided -> held(limit, limiter, decided));
    }

    private Admission held(MethodLimit limit, InFlightLimiter limiter, Hold hold) {
        return hold.allowed()
                ? new Admitted(List.of(), List.of(hold))
                : new Denied(
                        limit,
                        hold.ban()
                                .map(ban -> new InFlightExceededException(
                                        limiter.policy().name(),
                                        Problem.banned(
                                                ban.timeLeft(hold.inFlight().at()), banStatus)))
                                .orElseGet(() -> new InFlightExceededException(limiter.policy(), hold.deniedBy())));
    }

    private static IllegalStateException noPolicy(MethodLimit limit) {
        return new IllegalStateException("there is no policy " + limit.policy());
    }
}

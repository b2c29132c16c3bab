package io.headgate.limits.internal.waiting;

import io.headgate.limits.AsyncLimiter;
import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.PermitRequest;
import io.headgate.limits.Policy;
import io.headgate.limits.Rule;
import io.headgate.limits.bans.BanTarget;
import io.headgate.limits.internal.Bounds;
import io.headgate.limits.internal.Causes;
import io.headgate.limits.internal.EngineState;
import io.headgate.limits.internal.RequestIds;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The requests that wait for permits of one limiter: a first-in-first-out line for each set of ids, limits and bans. Only the first
 * request of a line makes attempts, each a call of {@code tryAcquire}, and after a denial not before its retry-after has passed. So no
 * request overtakes another, and requests for few permits do not starve a request for many. The order holds within this process only.
 *
 * <p>An update, a refund or a reset wakes the first requests that it may allow, which then make an attempt immediately.
 *
 * <p>Safe for use by several threads. No attempt is made under the lock.
 */
public final class WaitingLines implements EngineState.Waits {

    /**
     * The most waiting requests: in all lines, and admitted ones that wait for a shaper's delay. Beyond that, no request waits. A request
     * that is not the first of its line receives the line's last denial. A first request receives the result of its attempt, or a denial
     * if that has a delay.
     */
    static final int MOST_WAITING = WaitAnswer.MAX_QUEUED;

    /** The most concurrent attempts of requests that one change wakes; more could overload the store. */
    private static final int WOKEN_AT_ONCE = 16;

    private static final System.Logger LOG = System.getLogger(WaitingLines.class.getName());

    private final AsyncLimiter limiter;
    private final EngineState state;
    private final BiFunction<Policy, Attributes, Optional<BanTarget>> bans;
    private final BiConsumer<Attributes, Decision> refund;
    private final Runnable afterDenial;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<WaitingLine.Key, WaitingLine> lines = new HashMap<>();
    private final Set<WaitingLine> attempting = new HashSet<>();
    private final Sleepers sleepers = new Sleepers();
    private final AtomicInteger waiting = new AtomicInteger();
    private volatile boolean endsOnClose;

    /**
     * Creates the lines of a limiter.
     *
     * @param state ends the waits when the engine is closed
     * @param bans returns the target of the ban or exemption that applies to a request
     * @param refund refunds a decision that no caller receives; since no caller can refund it again, it stores no record of the refund
     */
    public WaitingLines(
            AsyncLimiter limiter,
            EngineState state,
            BiFunction<Policy, Attributes, Optional<BanTarget>> bans,
            BiConsumer<Attributes, Decision> refund) {
        this(limiter, state, bans, refund, () -> {});
    }

    /**
     * Creates the lines of a limiter, with a callback.
     *
     * @param state ends the waits when the engine is closed
     * @param bans returns the target of the ban or exemption that applies to a request
     * @param refund refunds a decision that no caller receives; since no caller can refund it again, it stores no record of the refund
     * @param afterDenial runs after each denial, before the request sleeps or ends
     */
    public WaitingLines(
            AsyncLimiter limiter,
            EngineState state,
            BiFunction<Policy, Attributes, Optional<BanTarget>> bans,
            BiConsumer<Attributes, Decision> refund,
            Runnable afterDenial) {
        this.limiter = limiter;
        this.state = state;
        this.bans = bans;
        this.refund = refund;
        this.afterDenial = afterDenial;
    }

    /** Adds a request, and returns its future; see {@link AsyncLimiter#acquire(PermitRequest, Duration)}. */
    public CompletableFuture<Decision> acquire(PermitRequest request, Duration maxWait) {
        Wait wait = enter(request, maxWait);
        return new WaitAnswer<>(wait, decision -> refund(wait, decision));
    }

    /** Adds a request, and blocks the caller's thread until its result. */
    public Decision await(PermitRequest request, Duration maxWait) throws InterruptedException {
        return Waiting.on(enter(request, maxWait));
    }

    private Wait enter(PermitRequest request, Duration maxWait) {
        RequestIds.requireNone("acquire", request);
        Policy policy = limiter.policy();
        Attributes attributes = request.attributesFor(policy);
        Wait wait = new Wait(attributes, request.permits(), System.nanoTime() + Bounds.maxWaitNanos(maxWait));
        if (!endsOnClose) {
            // Register before setting the flag: a thread that sees the flag relies on the registration.
            state.endOnClose(this);
            endsOnClose = true;
        }
        WaitingLine.Key key = WaitingLine.keyOf(policy, attributes, bans.apply(policy, attributes));
        WaitingLine line;
        boolean first;
        lock.lock();
        try {
            line = lines.computeIfAbsent(key, WaitingLine::new);
            first = line.waits.isEmpty();
            if (!first && line.lastDenial != null && waiting.get() >= MOST_WAITING) {
                wait.complete(line.lastDenial);
                return wait;
            }
            line.waits.add(wait);
            waiting.incrementAndGet();
        } finally {
            lock.unlock();
        }
        wait.whenComplete((decision, problem) -> {
            waiting.decrementAndGet();
            leave(line, wait);
        });
        if (first) {
            attempt(line, wait, () -> {});
        } else {
            wait.runAtDeadline(() -> expire(line, wait));
        }
        return wait;
    }

    /** Makes an attempt for the first request of a line, and runs a task after the result. */
    private void attempt(WaitingLine line, Wait wait, Runnable after) {
        if (!beginAttempt(line, wait)) {
            after.run();
            return;
        }
        try {
            limiter.tryAcquire(wait.request).whenComplete((decision, problem) -> {
                onResult(line, wait, decision, problem);
                after.run();
            });
        } catch (RuntimeException | Error e) {
            // Errors too: otherwise the line would stop.
            onResult(line, wait, null, e);
            after.run();
        }
    }

    private boolean beginAttempt(WaitingLine line, Wait wait) {
        lock.lock();
        try {
            line.forgetChanges();
            return wait.beginAttempt() && attempting.add(line);
        } finally {
            lock.unlock();
        }
    }

    private void onResult(WaitingLine line, Wait wait, @Nullable Decision decision, @Nullable Throwable problem) {
        if (decision != null && decision.denied()) {
            denied(line, wait, decision);
        } else {
            endAttempt(line, wait);
            if (decision == null) {
                wait.completeExceptionally(Causes.of(problem));
            } else {
                admitted(line, wait, decision);
            }
        }
        if (wait.isDone()) {
            leave(line, wait);
        }
    }

    private void endAttempt(WaitingLine line, Wait wait) {
        lock.lock();
        try {
            attempting.remove(line);
            wait.endAttempt();
        } finally {
            lock.unlock();
        }
    }

    private void denied(WaitingLine line, Wait wait, Decision decision) {
        afterDenial.run();
        if (!line.mayWaitFor(decision)) {
            endAttempt(line, wait);
            wait.complete(decision);
            return;
        }
        List<Wait> late = new ArrayList<>();
        boolean over;
        lock.lock();
        try {
            line.lastDenial = decision;
            // Requests whose deadline passed before the line had a denial.
            line.waits.stream().filter(it -> it != wait && it.nanosLeft() <= 0).forEach(late::add);
            // A change during the attempt may have followed the denial, so retry immediately. A retry-after beyond the
            // range of a long becomes Long.MAX_VALUE.
            long retryNanos = line.mayHaveChanged(decision, wait.attributes)
                    ? 0
                    : decision.retryAfter().map(TimeUnit.NANOSECONDS::convert).orElse(Long.MAX_VALUE);
            over = waiting.get() > MOST_WAITING || retryNanos > wait.nanosLeft();
            endAttempt(line, wait);
            if (!over && !wait.isDone()) {
                WaitingLine.Sleep sleep = sleepers.add(line, wait, decision);
                line.sleep = sleep;
                wait.runLater(() -> wakeUp(sleep, () -> {}), retryNanos);
            }
        } finally {
            lock.unlock();
        }
        late.forEach(it -> it.complete(decision));
        if (over) {
            wait.complete(decision);
        }
    }

    /** Ends a sleep and makes an attempt, unless another thread has ended the sleep. */
    private void wakeUp(WaitingLine.Sleep sleep, Runnable after) {
        boolean woken;
        lock.lock();
        try {
            woken = sleepers.remove(sleep);
            if (woken) {
                sleep.line.sleep = null;
            }
        } finally {
            lock.unlock();
        }
        if (woken) {
            attempt(sleep.line, sleep.wait, after);
        } else {
            after.run();
        }
    }

    /** Whether no request waits. */
    public boolean isEmpty() {
        return waiting.get() == 0;
    }

    @Override
    public int waiting() {
        return waiting.get();
    }

    /**
     * Wakes the first request of every line that sleeps, because the limits, or anything else, may have changed. A first request whose
     * attempt is in flight retries if it is denied.
     */
    public void policyChanged() {
        wake(sleepers::all, (line, attributes) -> line.changed = true);
    }

    @Override
    public void retryAll() {
        policyChanged();
    }

    /**
     * Wakes requests that these rules denied.
     *
     * @param permits the refunded permits, and so the most requests that they may allow; {@link Long#MAX_VALUE} after a reset
     */
    public void freed(Collection<Rule> rules, Attributes attributes, long permits) {
        if (permits == 0 || waiting.get() == 0) {
            return;
        }
        wake(
                () -> rules.stream()
                        .flatMap(rule -> sleepers.deniedBy(Count.of(rule, attributes), permits).stream())
                        .distinct()
                        .limit(permits)
                        .toList(),
                (line, others) -> rules.stream()
                        .filter(rule -> Count.of(rule, attributes).isOf(rule, others))
                        .forEach(rule -> line.freed.add(Count.of(rule, attributes))));
    }

    /**
     * Ends sleeps, at most {@link #WOKEN_AT_ONCE} at a time.
     *
     * @param onAttempting marks a line whose first request has an attempt in flight; receives that request's attributes
     */
    private void wake(Supplier<List<WaitingLine.Sleep>> sleeping, BiConsumer<WaitingLine, Attributes> onAttempting) {
        Queue<WaitingLine.Sleep> woken;
        lock.lock();
        try {
            woken = new ConcurrentLinkedQueue<>(sleeping.get());
            for (WaitingLine line : attempting) {
                Wait first = line.waits.peek();
                if (first != null) {
                    onAttempting.accept(line, first.attributes);
                }
            }
        } finally {
            lock.unlock();
        }
        for (int i = Math.min(WOKEN_AT_ONCE, woken.size()); i > 0; i--) {
            wakeNext(woken);
        }
    }

    private void wakeNext(Queue<WaitingLine.Sleep> woken) {
        WaitingLine.Sleep next = woken.poll();
        if (next != null) {
            Wait.TIMER.execute(() -> wakeUp(next, () -> wakeNext(woken)));
        }
    }

    /**
     * Ends the wait of an admitted request, now or after its delay. If the delay ends after the deadline, or too many requests wait, the
     * request is refunded and denied.
     */
    private void admitted(WaitingLine line, Wait wait, Decision decision) {
        long delayNanos = TimeUnit.NANOSECONDS.convert(decision.delay());
        long longestNanos = waiting.get() > MOST_WAITING ? 0 : Math.max(0, wait.nanosLeft());
        if (delayNanos > longestNanos) {
            refund(wait, decision);
            wait.complete(TooLate.denial(decision, longestNanos));
            return;
        }
        wait.whenComplete((result, problem) -> {
            // The wait has ended otherwise, such as by a cancellation.
            if (!decision.equals(result)) {
                refund(wait, decision);
            }
        });
        if (delayNanos == 0) {
            wait.complete(decision);
        } else {
            wait.runLater(() -> wait.complete(decision), delayNanos);
            // During the delay, the next request of the line makes its attempt.
            leave(line, wait);
        }
    }

    /** Refunds a decision that no caller receives. A failure is only logged, as the line must continue. */
    private void refund(Wait wait, Decision decision) {
        try {
            refund.accept(wait.attributes, decision);
        } catch (RuntimeException e) {
            LOG.log(Level.DEBUG, "not refunded: " + decision, e);
        }
    }

    /**
     * Ends a wait at its deadline if it is not the first of its line and the line has a denial. The first one ends with the result of its
     * attempt, and others without a denial with the next result of the line.
     */
    private void expire(WaitingLine line, Wait wait) {
        Decision denial;
        lock.lock();
        try {
            denial = line.waits.peek() == wait ? null : line.lastDenial;
        } finally {
            lock.unlock();
        }
        if (denial != null) {
            wait.complete(denial);
        }
    }

    /** Removes a wait that is over, and makes an attempt for the next one. A wait with an attempt in flight stays until the result. */
    private void leave(WaitingLine line, Wait wait) {
        Wait next = null;
        lock.lock();
        try {
            boolean first = line.waits.peek() == wait;
            if (wait.isAttempting() || !line.waits.remove(wait)) {
                return;
            }
            if (first && line.sleep != null) {
                sleepers.remove(line.sleep);
                line.sleep = null;
            }
            if (line.waits.isEmpty()) {
                lines.remove(line.key, line);
            } else if (first) {
                next = line.waits.peek();
            }
        } finally {
            lock.unlock();
        }
        if (next != null) {
            Wait first = next;
            // On another thread, because the recursion would be as deep as the line is long.
            Wait.TIMER.execute(() -> attempt(line, first, () -> {}));
        }
    }
}

package io.headgate.limits.internal;

import io.headgate.limits.AsyncLimiter;
import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Rule;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Those who wait for permits of one limiter: a line for each set of ids, in order of arrival. Only the first of a line
 * asks, and after a denial not before the time that it named; so nobody overtakes, and one who wants many permits is not
 * starved by those who want few. Lines are of this process: others may be served first elsewhere.
 *
 * <p>What its limiter changes or hears of, they know: the firsts whom a changed limit, a refund or a reset may serve are
 * woken to ask at once.
 */
public final class WaitingLines implements EngineState.Waits {

    /** How many may wait, in all lines and for their turn at a shaper; who comes beyond them is told what the last one was. */
    static final int MOST_WAITING = WaitAnswer.MAX_QUEUED;

    /** How many of those who are woken together ask at the same time: more could be too many for the store. */
    private static final int WOKEN_AT_ONCE = 16;

    private static final System.Logger LOG = System.getLogger(WaitingLines.class.getName());

    private final AsyncLimiter limiter;
    private final EngineState state;
    private final BiConsumer<Attributes, Decision> takeBack;
    private final Runnable whenAsleep;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<List<List<String>>, WaitingLine> lines = new HashMap<>();
    private final Set<WaitingLine> asking = new HashSet<>();
    private final Sleepers sleepers = new Sleepers();
    private final AtomicInteger waiting = new AtomicInteger();
    private volatile boolean endsOnClose;

    /**
     * Lines before a limiter.
     *
     * @param state which ends the waits when the engine is closed
     * @param takeBack refunds a decision that no caller has received, so that it needs no record of the refund
     */
    public WaitingLines(AsyncLimiter limiter, EngineState state, BiConsumer<Attributes, Decision> takeBack) {
        this(limiter, state, takeBack, () -> {});
    }

    /**
     * The same.
     *
     * @param state which ends the waits when the engine is closed
     * @param takeBack refunds a decision that no caller has received, so that it needs no record of the refund
     * @param whenAsleep is run before somebody sleeps until a retry-after has passed
     */
    public WaitingLines(
            AsyncLimiter limiter, EngineState state, BiConsumer<Attributes, Decision> takeBack, Runnable whenAsleep) {
        this.limiter = limiter;
        this.state = state;
        this.takeBack = takeBack;
        this.whenAsleep = whenAsleep;
    }

    /** Waits for permits up to a time; see {@link AsyncLimiter#acquire(Attributes, long, Duration)}. */
    public CompletableFuture<Decision> acquire(Attributes attributes, long permits, Duration maxWait) {
        Wait wait = enter(attributes, permits, maxWait);
        return new WaitAnswer<>(wait, decision -> giveBack(wait, decision));
    }

    /** The same on the caller's thread, which needs no other one to be told. */
    public Decision await(Attributes attributes, long permits, Duration maxWait) throws InterruptedException {
        return Waiting.on(enter(attributes, permits, maxWait));
    }

    private Wait enter(Attributes attributes, long permits, Duration maxWait) {
        Bounds.requestedPermits(permits);
        Wait wait = new Wait(attributes, permits, System.nanoTime() + Bounds.maxWaitNanos(maxWait));
        if (!endsOnClose) {
            // Registers first: another thread that finds the flag set must find the lines registered.
            state.endOnClose(this);
            endsOnClose = true;
        }
        List<List<String>> ids = WaitingLine.idsOf(limiter.policy(), attributes);
        WaitingLine line;
        boolean first;
        lock.lock();
        try {
            line = lines.computeIfAbsent(ids, WaitingLine::new);
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
            ask(line, wait, () -> {});
        } else {
            wait.doAtDeadline(() -> giveUp(line, wait));
        }
        return wait;
    }

    /** Lets the first of a line ask, and does something after the answer. */
    private void ask(WaitingLine line, Wait wait, Runnable after) {
        if (!beginAsking(line, wait)) {
            after.run();
            return;
        }
        try {
            limiter.tryAcquire(wait.attributes, wait.permits).whenComplete((decision, problem) -> {
                answered(line, wait, decision, problem);
                after.run();
            });
        } catch (RuntimeException | Error e) {
            // Also an error: nobody else would let the next one ask.
            answered(line, wait, null, e);
            after.run();
        }
    }

    private boolean beginAsking(WaitingLine line, Wait wait) {
        lock.lock();
        try {
            line.forgetChanges();
            return wait.beginAsking() && asking.add(line);
        } finally {
            lock.unlock();
        }
    }

    private void answered(WaitingLine line, Wait wait, @Nullable Decision decision, @Nullable Throwable problem) {
        if (decision != null && decision.denied()) {
            denied(line, wait, decision);
        } else {
            endAsking(line, wait);
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

    private void endAsking(WaitingLine line, Wait wait) {
        lock.lock();
        try {
            asking.remove(line);
            wait.endAsking();
        } finally {
            lock.unlock();
        }
    }

    private void denied(WaitingLine line, Wait wait, Decision decision) {
        whenAsleep.run();
        List<Wait> late = new ArrayList<>();
        boolean over;
        lock.lock();
        try {
            line.lastDenial = decision;
            line.waits.stream().filter(it -> it != wait && it.nanosLeft() <= 0).forEach(late::add);
            // What is longer than a long has nanoseconds is as long as can be. What has changed meanwhile may have
            // changed after it was denied.
            long retryNanos = line.mayHaveChanged(decision, wait.attributes)
                    ? 0
                    : decision.retryAfter().map(TimeUnit.NANOSECONDS::convert).orElse(Long.MAX_VALUE);
            over = waiting.get() > MOST_WAITING || retryNanos > wait.nanosLeft();
            endAsking(line, wait);
            if (!over && !wait.isDone()) {
                WaitingLine.Sleep sleep = sleepers.add(line, wait, decision);
                line.sleep = sleep;
                wait.doLater(() -> wakeUp(sleep, () -> {}), retryNanos);
            }
        } finally {
            lock.unlock();
        }
        late.forEach(it -> it.complete(decision));
        if (over) {
            wait.complete(decision);
        }
    }

    /** Lets one ask who has not been woken by somebody else. */
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
            ask(sleep.line, sleep.wait, after);
        } else {
            after.run();
        }
    }

    /** Whether nobody waits. */
    public boolean isEmpty() {
        return waiting.get() == 0;
    }

    /** Wakes all, as other limits hold, or it is not known what has changed. */
    public void policyChanged() {
        wake(sleepers::all, (line, attributes) -> line.changed = true);
    }

    @Override
    public void retryAll() {
        policyChanged();
    }

    /** Wakes those whom these rules denied and so many permits may serve, which were given back or are forgotten. */
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

    private void wake(Supplier<List<WaitingLine.Sleep>> asleep, BiConsumer<WaitingLine, Attributes> noting) {
        Queue<WaitingLine.Sleep> woken;
        lock.lock();
        try {
            woken = new ConcurrentLinkedQueue<>(asleep.get());
            for (WaitingLine line : asking) {
                Wait first = line.waits.peek();
                if (first != null) {
                    noting.accept(line, first.attributes);
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

    /** Ends a wait that has its permits, now or when its turn to go on comes; or gives them back when that is too late. */
    private void admitted(WaitingLine line, Wait wait, Decision decision) {
        long delayNanos = TimeUnit.NANOSECONDS.convert(decision.delay());
        long longestNanos = waiting.get() > MOST_WAITING ? 0 : Math.max(0, wait.nanosLeft());
        if (delayNanos > longestNanos) {
            giveBack(wait, decision);
            wait.complete(TooLate.denial(decision, longestNanos));
            return;
        }
        wait.whenComplete((said, problem) -> {
            if (!decision.equals(said)) {
                giveBack(wait, decision);
            }
        });
        if (delayNanos == 0) {
            wait.complete(decision);
        } else {
            wait.doLater(() -> wait.complete(decision), delayNanos);
            leave(line, wait);
        }
    }

    /** Gives back what nobody wants any more; where that fails there is nobody to tell, and the line must go on. */
    private void giveBack(Wait wait, Decision decision) {
        try {
            takeBack.accept(wait.attributes, decision);
        } catch (RuntimeException e) {
            LOG.log(Level.DEBUG, "not given back: " + decision, e);
        }
    }

    /** Ends the wait of one whose turn never came; if the first is just asking, its answer does. */
    private void giveUp(WaitingLine line, Wait wait) {
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

    /** Takes one who is done out of the line, and lets the next one ask. One that is asking stays until the answer. */
    private void leave(WaitingLine line, Wait wait) {
        Wait next = null;
        lock.lock();
        try {
            boolean first = line.waits.peek() == wait;
            if (wait.isAsking() || !line.waits.remove(wait)) {
                return;
            }
            if (first && line.sleep != null) {
                sleepers.remove(line.sleep);
                line.sleep = null;
            }
            if (line.waits.isEmpty()) {
                lines.remove(line.ids, line);
            } else if (first) {
                next = line.waits.peek();
            }
        } finally {
            lock.unlock();
        }
        if (next != null) {
            Wait turn = next;
            // Not here: a long line would call itself as often as it is long.
            Wait.TIMER.execute(() -> ask(line, turn, () -> {}));
        }
    }
}

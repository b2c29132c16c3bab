package io.headgate.limits.internal;

import io.headgate.limits.AsyncLimiter;
import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Policy;
import io.headgate.limits.Rule;
import io.headgate.limits.RuleDecision;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Those who wait for permits of one limiter: a line for each set of ids, in order of arrival. Only the first of a line
 * asks, and after a denial not before the time that it named; so nobody overtakes, and one who wants many permits is not
 * starved by those who want few. Lines are of this process: others may be served first elsewhere.
 */
public final class WaitingLines {

    /** How many may wait in all lines; who comes beyond them is told what the last one was. */
    static final int MOST_WAITING = 100_000;

    private static final System.Logger LOG = System.getLogger(WaitingLines.class.getName());

    private final AsyncLimiter limiter;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<List<List<String>>, Line> lines = new HashMap<>();
    private int waiting;

    /** Lines before a limiter. */
    public WaitingLines(AsyncLimiter limiter) {
        this.limiter = limiter;
    }

    /** Who waits behind one another, and what the first was told last. */
    private static final class Line {

        private final List<List<String>> ids;
        private final ArrayDeque<Wait> waits = new ArrayDeque<>();
        private @Nullable Decision lastDenial;

        Line(List<List<String>> ids) {
            this.ids = ids;
        }
    }

    /** Waits for permits up to a time; see {@link AsyncLimiter#acquire(Attributes, long, Duration)}. */
    public CompletableFuture<Decision> acquire(Attributes attributes, long permits, Duration maxWait) {
        Bounds.requestedPermits(permits);
        Wait wait = new Wait(attributes, permits, System.nanoTime() + Bounds.maxWaitNanos(maxWait));
        List<List<String>> ids = idsOf(limiter.policy(), attributes);
        Line line;
        boolean first;
        lock.lock();
        try {
            line = lines.computeIfAbsent(ids, Line::new);
            first = line.waits.isEmpty();
            if (!first && line.lastDenial != null && waiting >= MOST_WAITING) {
                wait.complete(line.lastDenial);
                return wait;
            }
            line.waits.add(wait);
            waiting++;
            if (!first) {
                // Before its turn can come, which puts something else in place of this.
                wait.doLater(() -> giveUp(line, wait), wait.nanosLeft());
            }
        } finally {
            lock.unlock();
        }
        wait.whenComplete((decision, problem) -> leave(line, wait));
        if (first) {
            ask(line, wait);
        }
        return wait;
    }

    private static List<List<String>> idsOf(Policy policy, Attributes attributes) {
        List<List<String>> ids = new ArrayList<>();
        for (Rule rule : policy.rules()) {
            ids.add(attributes.idsOf(rule));
        }
        return ids;
    }

    private void ask(Line line, Wait wait) {
        if (!wait.beginAsking()) {
            return;
        }
        try {
            limiter.tryAcquire(wait.attributes, wait.permits)
                    .whenComplete((decision, problem) -> answered(line, wait, decision, problem));
        } catch (RuntimeException | Error e) {
            // Also an error: nobody else would let the next one ask.
            answered(line, wait, null, e);
        }
    }

    private void answered(Line line, Wait wait, @Nullable Decision decision, @Nullable Throwable problem) {
        wait.endAsking();
        if (decision == null) {
            fail(wait, problem);
        } else if (decision.denied()) {
            denied(line, wait, decision);
        } else {
            admitted(line, wait, decision);
        }
        if (wait.isDone()) {
            leave(line, wait);
        }
    }

    private static void fail(Wait wait, @Nullable Throwable problem) {
        Throwable cause =
                problem instanceof CompletionException && problem.getCause() != null ? problem.getCause() : problem;
        wait.completeExceptionally(cause == null ? new IllegalStateException("no answer") : cause);
    }

    private void denied(Line line, Wait wait, Decision decision) {
        List<Wait> late = new ArrayList<>();
        boolean tooMany;
        lock.lock();
        try {
            tooMany = waiting > MOST_WAITING;
            line.lastDenial = decision;
            line.waits.stream().filter(it -> it != wait && it.nanosLeft() <= 0).forEach(late::add);
        } finally {
            lock.unlock();
        }
        late.forEach(it -> it.complete(decision));
        long retryNanos = decision.retryAfter().map(Duration::toNanos).orElse(Long.MAX_VALUE);
        if (tooMany || retryNanos > wait.nanosLeft()) {
            wait.complete(decision);
        } else {
            wait.doLater(() -> ask(line, wait), retryNanos);
        }
    }

    /** Ends a wait that has its permits, now or when its turn to go on comes; or gives them back when that is too late. */
    private void admitted(Line line, Wait wait, Decision decision) {
        long delayNanos = decision.delay().toNanos();
        long tooLongNanos = delayNanos - Math.max(0, wait.nanosLeft());
        if (tooLongNanos > 0 && delayNanos > 0) {
            giveBack(wait, decision);
            wait.complete(tooLate(decision, tooLongNanos));
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
            limiter.refund(wait.attributes, decision);
        } catch (RuntimeException e) {
            LOG.log(Level.DEBUG, "not given back: " + decision, e);
        }
    }

    /** What is said instead to one who can't wait for its turn: to come back when the queue is so much shorter. */
    private Decision tooLate(Decision decision, long tooLongNanos) {
        List<Rule> rules = decision.rules().stream().map(RuleDecision::rule).toList();
        Policy policy = limiter.policy();
        RuleDecision[] said = decision.rules().stream()
                .map(rule -> rule.delay().isZero()
                        ? rule
                        : RuleDecision.denied(
                                rule.rule(),
                                rule.remaining(),
                                Math.max(1, tooLongNanos / 1000),
                                Micros.of(rule.resetAfter())))
                .toArray(RuleDecision[]::new);
        long atMicros = ChronoUnit.MICROS.between(Instant.EPOCH, decision.decidedAt());
        return Decision.of(new Policy(policy.name(), rules, policy.colocation()), atMicros, 0, said);
    }

    /** Ends the wait of one whose turn never came; if the first is just asking, its answer does. */
    private void giveUp(Line line, Wait wait) {
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
    private void leave(Line line, Wait wait) {
        Wait next = null;
        lock.lock();
        try {
            boolean first = line.waits.peek() == wait;
            if (wait.isAsking() || !line.waits.remove(wait)) {
                return;
            }
            waiting--;
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
            Wait.TIMER.execute(() -> ask(line, turn));
        }
    }
}

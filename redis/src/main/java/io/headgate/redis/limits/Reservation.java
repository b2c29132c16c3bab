package io.headgate.redis.limits;

import io.headgate.limits.Decision;
import io.headgate.limits.LimiterException;
import io.headgate.limits.RuleDecision;
import io.headgate.limits.internal.Causes;
import io.headgate.limits.internal.Charge;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * One request to rules that decide apart. Each of them charges when it admits; when all have, the request is admitted. When
 * one denies, that is known when all have answered; when one can't be asked, at once. Then what was charged is given back,
 * by each rule once, also what it charges later. Safe for the threads on which answers come.
 */
final class Reservation {

    private final Ask ask;
    private final List<RulePart> parts;
    private final GivingBack givingBack;
    private final CompletableFuture<Decision> decision = new CompletableFuture<>();

    /** What each rule said; emptied by who gives it back, or once it is decided. */
    private final AtomicReferenceArray<@Nullable Reserved> said;

    private final AtomicInteger sent = new AtomicInteger();
    private final AtomicInteger ended = new AtomicInteger();

    /** How many rules have answered that they deny, and so have charged nothing that is to be given back. */
    private final AtomicInteger denied = new AtomicInteger();

    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

    /** Gives back what a rule has charged. */
    interface GivingBack {
        void charge(Ask ask, RulePart part, Charge charge);
    }

    Reservation(Ask ask, GivingBack givingBack) {
        this.ask = ask;
        this.parts = ask.planner().parts();
        this.givingBack = givingBack;
        this.said = new AtomicReferenceArray<>(parts.size());
    }

    /** What comes of it. What is to be given back is on its way when this is done, but for what is charged later. */
    CompletableFuture<Decision> decision() {
        return decision;
    }

    /** Whether it is of no use any more to ask further rules. */
    boolean hasFailed() {
        return failure.get() != null;
    }

    /** One more is about to be asked. */
    void sent() {
        sent.incrementAndGet();
    }

    /** A rule has answered, or won't. */
    @SuppressWarnings("CatchingUnchecked") // whoever waits must hear of it
    void ended(int part, @Nullable Reserved answer, @Nullable Throwable problem) {
        try {
            take(part, answer, problem);
        } catch (Throwable e) {
            decision.completeExceptionally(e);
        }
    }

    private void take(int part, @Nullable Reserved answer, @Nullable Throwable problem) {
        if (answer != null) {
            said.set(part, answer);
            if (answer.denies()) {
                denied.incrementAndGet();
            }
            if (hasFailed()) {
                giveBack(part);
            }
        } else if (problem != null && failure.compareAndSet(null, problem)) {
            fail(Causes.of(problem));
        }
        if (ended.incrementAndGet() == parts.size() && !hasFailed()) {
            decide();
        }
    }

    private void fail(Throwable problem) {
        // Those that are still asked may charge, and what has been charged stays so where it can't be given back.
        boolean mayBeCharged = sent.get() - 1 > denied.get();
        giveBackAll();
        decision.completeExceptionally(
                problem instanceof LimiterException of && mayBeCharged && !of.mayBeCharged()
                        ? new LimiterException(of.operation(), of.key(), unsure(of), true, of)
                        : problem);
    }

    private static String unsure(LimiterException one) {
        return one.problem() + "; other rules may have charged it, and are asked to take that back";
    }

    private void decide() {
        boolean admitted = denied.get() == 0;
        long[] atMicros = new long[parts.size()];
        RuleDecision[] rules = new RuleDecision[parts.size()];
        for (int i = 0; i < rules.length; i++) {
            Reserved one = said.get(i);
            if (one == null) {
                throw new IllegalStateException("rule " + i + " has answered, and its answer is gone");
            }
            atMicros[i] = one.atMicros();
            rules[i] = admitted ? one.said() : one.othersDeny();
        }
        if (!admitted) {
            giveBackAll();
        }
        decision.complete(Decision.of(ask.planner().policy(), atMicros, ask.permits(), rules));
    }

    private void giveBackAll() {
        for (int i = 0; i < parts.size(); i++) {
            giveBack(i);
        }
    }

    private void giveBack(int part) {
        Reserved one = said.getAndSet(part, null);
        if (one != null && one.isToGiveBack(ask.id() != null)) {
            givingBack.charge(ask, parts.get(part), one.charge(ask.permits()));
        }
    }
}

package io.headgate.redis.limits.internal.denials;

import io.headgate.limits.Rule;
import io.headgate.limits.RuleDecision;
import io.headgate.limits.internal.decision.EngineRuleDecision;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A cached denial of an id by one limit, and those by other limits as a linked list: most ids have one.
 *
 * @param decision the decision of the rule
 * @param resetMicros the time from the request until the whole limit is available again
 * @param permits how many were requested
 * @param requestedMicros when the request was made, by the clock of this process
 * @param untilMicros until when the denial holds, by the same clock
 * @param decidedMicros when it was decided, by Redis's clock
 * @param check when a request goes to Redis despite the denial
 * @param next the denial of the same id by another limit, if there is one
 */
record Denial(
        RuleDecision decision,
        long resetMicros,
        long permits,
        long requestedMicros,
        long untilMicros,
        long decidedMicros,
        NextCheck check,
        @Nullable Denial next) {

    /** The denial by a rule; null where there is none. */
    static @Nullable Denial first(@Nullable Denial all, Rule rule) {
        Denial one = all;
        while (one != null && !one.isOf(rule)) {
            one = one.next;
        }
        return one;
    }

    /** Those that are kept, in their order; null where none is. */
    static @Nullable Denial filter(@Nullable Denial all, Predicate<Denial> isKept) {
        if (all == null) {
            return null;
        }
        Denial rest = filter(all.next, isKept);
        return !isKept.test(all) ? rest : rest == all.next ? all : all.before(rest);
    }

    /** The first of them, up to a number. */
    static @Nullable Denial limit(@Nullable Denial all, int most) {
        return all == null || most == 0 ? null : all.before(limit(all.next, most - 1));
    }

    /** This denial, followed by others. */
    Denial before(@Nullable Denial others) {
        return others == next
                ? this
                : new Denial(
                        decision, resetMicros, permits, requestedMicros, untilMicros, decidedMicros, check, others);
    }

    boolean covers(long requested, long nowMicros) {
        return requested >= permits && nowMicros >= requestedMicros && nowMicros < untilMicros;
    }

    @SuppressWarnings("ReferenceEquality") // most often it is the same object, and comparing rules is expensive
    boolean isOf(Rule rule) {
        return decision.rule() == rule || decision.rule().equals(rule);
    }

    /** The decision of the rule on a request that is made at that time. */
    EngineRuleDecision at(long nowMicros) {
        long elapsed = nowMicros - requestedMicros;
        return EngineRuleDecision.denied(
                decision.rule(), decision.remaining(), untilMicros - nowMicros, Math.max(0, resetMicros - elapsed));
    }

    long decidedAtMicros(long nowMicros) {
        return decidedMicros + nowMicros - requestedMicros;
    }

    /** When the next request goes to Redis although the cached denial still holds. */
    static final class NextCheck {

        private final AtomicLong atMicros;

        NextCheck(long atMicros) {
            this.atMicros = new AtomicLong(atMicros);
        }

        /** Whether the request of this caller goes to Redis; then no other request does for the next second. */
        boolean isDue(long nowMicros) {
            long due = atMicros.get();
            return nowMicros >= due && atMicros.compareAndSet(due, nowMicros + RuleDenials.CHECK_MICROS);
        }
    }
}

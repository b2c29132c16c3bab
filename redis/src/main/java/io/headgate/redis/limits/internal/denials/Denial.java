package io.headgate.redis.limits.internal.denials;

import io.headgate.limits.Limit;
import io.headgate.limits.Rule;
import io.headgate.limits.RuleDecision;
import io.headgate.limits.internal.Micros;
import io.headgate.limits.internal.algorithm.LimitKind;
import io.headgate.limits.internal.decision.EngineRuleDecision;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A cached denial. Denials of the same key under different limits are a linked list, in which each limit occurs once. Usually a key has
 * only one. The list is immutable: what changes it returns another list, which shares the unchanged end.
 *
 * @param decision the decision of the rule
 * @param resetMicros the time from the request until the whole limit is available again
 * @param permits how many permits were requested
 * @param requestedMicros when the request was made, by the clock of this process or by that of the application
 * @param untilMicros until when the denial holds, by the same clock
 * @param decidedMicros when it was decided, by Redis's clock
 * @param check when a request is sent to Redis despite the denial
 * @param next a denial of the same key under another limit; null at the end of the list
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

    /** How often a request is sent to Redis although a cached denial still holds. */
    static final long CHECK_MICROS = TimeUnit.SECONDS.toMicros(1);

    /** Whether a request of this rule is denied at that time; the rule must be that of the denial. */
    boolean covers(long requested, long nowMicros) {
        return (requested >= permits || isBan()) && nowMicros >= requestedMicros && nowMicros < untilMicros;
    }

    @SuppressWarnings("ReferenceEquality") // most often it is the same object, and comparing rules is expensive
    boolean isOf(Rule rule) {
        return decision.rule() == rule || decision.rule().equals(rule);
    }

    /** Whether the rule has banned the id, so that requests for any number of permits are denied. */
    boolean isBan() {
        return decision.bannedFor().isPresent();
    }

    /** The decision of the rule on a request that is made at that time. */
    EngineRuleDecision at(long nowMicros) {
        long elapsed = nowMicros - requestedMicros;
        if (isBan()) {
            long banned = Micros.of(decision.bannedFor().orElseThrow()) + elapsed;
            return EngineRuleDecision.banned(decision.rule(), banned, untilMicros - nowMicros);
        }
        return EngineRuleDecision.denied(
                decision.rule(), decision.remaining(), untilMicros - nowMicros, Math.max(0, resetMicros - elapsed));
    }

    long decidedAtMicros(long nowMicros) {
        return decidedMicros + nowMicros - requestedMicros;
    }

    /** How many denials follow this one in the list. */
    int following() {
        int count = 0;
        for (Denial one = next; one != null; one = one.next) {
            count++;
        }
        return count;
    }

    /** Returns the list from this denial on, without the denial under a limit; this denial itself if there is none to remove. */
    @Nullable
    Denial without(Rule rule) {
        return isOf(rule) ? next : before(next == null ? null : next.without(rule));
    }

    /** Returns the list from this denial on, without those that an admission ends; this denial itself if there is none to remove. */
    @Nullable
    Denial withoutEnded(Rule by, long admitted) {
        Denial others = next == null ? null : next.withoutEnded(by, admitted);
        return isEnded(by, admitted) ? others : before(others);
    }

    /** Returns this denial, followed by others. */
    @SuppressWarnings("ReferenceEquality") // the same list needs no copy
    Denial before(@Nullable Denial others) {
        return others == next
                ? this
                : new Denial(
                        decision, resetMicros, permits, requestedMicros, untilMicros, decidedMicros, check, others);
    }

    /**
     * Whether this denial may be wrong after the admission of a request. The limits count in the same state. If they count alike, the
     * admission only adds to the count, so this denial still holds, unless the admission proves that it did not hold before either: what
     * fits under the other limit leaves room for this request under its own. If they do not count alike, the admission may have restarted
     * or refilled the count, as a changed limit does.
     */
    private boolean isEnded(Rule by, long admitted) {
        if (isBan()) {
            return true;
        }
        if (isOf(by)) {
            return permits <= admitted;
        }
        Limit limit = decision.rule().limit();
        return !LimitKind.countAlike(limit, by.limit()) || by.limit().permits() - admitted <= limit.permits() - permits;
    }

    /** When the next request is sent to Redis although the cached denial still holds. */
    static final class NextCheck {

        private final AtomicLong atMicros;

        NextCheck(long atMicros) {
            this.atMicros = new AtomicLong(atMicros);
        }

        /** Whether the request of this caller must be sent to Redis; if so, no other one is for the next second. */
        boolean isDue(long nowMicros) {
            long due = atMicros.get();
            return nowMicros >= due && atMicros.compareAndSet(due, nowMicros + CHECK_MICROS);
        }
    }
}

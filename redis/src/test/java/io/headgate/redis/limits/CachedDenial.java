package io.headgate.redis.limits;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.Decision;
import io.headgate.limits.RuleDecision;

/** Compares a denial from the cache with the decision by the counts. */
public final class CachedDenial {

    private CachedDenial() {}

    /**
     * Asserts that the cached denial agrees, and returns it. It agrees if the counts deny the request by the same rule at the same instant,
     * and would not admit the request before the stated time. If a single permit was denied until the same time, this version of the policy
     * admitted nothing since, so both state the same limit and remaining permits. Only the reset may be later: another version with a
     * higher limit may have admitted permits since.
     */
    public static Decision agreeing(Decision cached, Decision counted, long permits) {
        RuleDecision stated = cached.decisive().orElseThrow();
        RuleDecision counts = counted.rules().stream()
                .filter(rule -> rule.rule().equals(stated.rule()))
                .findAny()
                .orElseThrow(() -> new AssertionError(cached + " has a rule that is missing in " + counted));
        assertThat(counted.denied()).as("%s; cached: %s", counted, cached).isTrue();
        assertThat(counts.allowed()).as("%s; cached: %s", counted, cached).isFalse();
        assertThat(cached.decidedAt()).isEqualTo(counted.decidedAt());
        assertThat(counted.retryable()).as("%s; cached: %s", counted, cached).isTrue();
        if (counts.retryable()) {
            assertThat(stated.retryAfter().orElseThrow())
                    .as("%s; cached: %s", counted, cached)
                    .isLessThanOrEqualTo(counts.retryAfter().orElseThrow());
        }
        if (permits == 1 && counts.retryAfter().equals(stated.retryAfter())) {
            assertThat(stated.limit()).isEqualTo(counts.limit());
            assertThat(stated.remaining()).isEqualTo(counts.remaining());
            assertThat(stated.resetAfter())
                    .as("%s; cached: %s", counted, cached)
                    .isLessThanOrEqualTo(counts.resetAfter());
        }
        return cached;
    }
}

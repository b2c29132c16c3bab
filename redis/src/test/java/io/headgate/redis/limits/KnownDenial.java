package io.headgate.redis.limits;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.Decision;
import io.headgate.limits.RuleDecision;

/** What a denial that was answered from memory must have in common with what the counts say. */
final class KnownDenial {

    private KnownDenial() {}

    /**
     * Returns it, if it agrees: the request is denied by that rule at that instant, which would not admit it sooner than is said,
     * and has no less left. Where one permit was denied, and so nothing could be admitted meanwhile, all that the rule says is the same.
     */
    static Decision agreeing(Decision known, Decision counted, long permits) {
        RuleDecision said = known.decisive();
        RuleDecision counts = counted.rules().stream()
                .filter(rule -> rule.rule().equals(said.rule()))
                .findAny()
                .orElseThrow(() -> new AssertionError(known + " is of a rule that is none of " + counted));
        assertThat(counted.denied()).as("%s; known was %s", counted, known).isTrue();
        assertThat(counts.allowed()).as("%s; known was %s", counted, known).isFalse();
        assertThat(known.decidedAt()).isEqualTo(counted.decidedAt());
        assertThat(counted.retryable()).as("%s; known was %s", counted, known).isTrue();
        if (counts.retryable()) {
            assertThat(said.retryAfter().orElseThrow())
                    .as("%s; known was %s", counted, known)
                    .isLessThanOrEqualTo(counts.retryAfter().orElseThrow());
        }
        if (permits == 1 && counts.retryAfter().equals(said.retryAfter())) {
            assertThat(said).isEqualTo(counts);
        }
        return known;
    }
}

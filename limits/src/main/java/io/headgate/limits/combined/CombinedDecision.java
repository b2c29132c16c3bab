package io.headgate.limits.combined;

import io.headgate.limits.Decision;
import io.headgate.limits.RuleDecision;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The result of a {@link CombinedRequest}. It is allowed if every policy allows it; otherwise it is denied, and no policy is charged,
 * except for attempts.
 *
 * <p>If the request is denied, a policy that would have allowed it has an {@linkplain Decision#allowed() allowed} decision with 0
 * {@linkplain Decision#charged() charged} permits. Its remaining permits are those without a charge of the request.
 *
 * <p>Rules that {@linkplain io.headgate.limits.Rule#countingAttempts() count attempts} count a denied request, also in policies that
 * would have allowed it. Their remaining permits are those after the attempt. The exception is a denial by a {@linkplain
 * io.headgate.limits.Fallback#closed() closed} fallback while Redis does not reply, which counts no attempt.
 *
 * <p>Immutable, and safe for use by several threads. Tests of your own code can create it.
 *
 * @param decisions the decision of each policy, in the order of the request; at least one
 */
public record CombinedDecision(List<Decision> decisions) {

    /** Checks that there is a decision. */
    public CombinedDecision {
        decisions = List.copyOf(decisions);
        if (decisions.isEmpty()) {
            throw new IllegalArgumentException("a combined decision must have at least one decision, but has none");
        }
    }

    /**
     * Whether the request is allowed. Then its permits are charged under every policy, except one that decided {@linkplain
     * Decision.Basis#OPEN without a count}.
     */
    public boolean allowed() {
        for (Decision decision : decisions) {
            if (decision.denied()) {
                return false;
            }
        }
        return true;
    }

    /** The opposite of {@link #allowed()}. */
    public boolean denied() {
        return !allowed();
    }

    /**
     * The decision whose numbers to report to a client. If the request is denied, it is a denial that is not {@linkplain
     * Decision#retryable() retryable}, or else the one with the longest wait. If it is allowed, it is the decision with the fewest
     * remaining permits; one without rules, or only with rules in shadow mode, is decisive only if there is no other.
     */
    public Decision decisive() {
        boolean denied = denied();
        Decision decisive = null;
        for (Decision decision : decisions) {
            if (decision.denied() == denied && (decisive == null || precedes(decision, decisive))) {
                decisive = decision;
            }
        }
        return decisive == null ? decisions.get(0) : decisive;
    }

    private static boolean precedes(Decision decision, Decision other) {
        if (decision.denied()) {
            return other.retryable() && (!decision.retryable() || wait(decision).compareTo(wait(other)) > 0);
        }
        if (canDeny(decision) != canDeny(other)) {
            return canDeny(decision);
        }
        return decision.decisive().isPresent()
                && (other.decisive().isEmpty() || decision.remaining() < other.remaining());
    }

    /** Whether the policy has rules that can deny: false for a decision without rules, and if all its rules are in shadow mode. */
    private static boolean canDeny(Decision decision) {
        return decision.decisive().filter(rule -> !rule.rule().shadow()).isPresent();
    }

    private static Duration wait(Decision decision) {
        return decision.retryAfter().orElse(Duration.ZERO);
    }

    /** Whether the request is denied and would be allowed after {@link #retryAfter()}. */
    public boolean retryable() {
        return denied() && decisions.stream().allMatch(decision -> decision.allowed() || decision.retryable());
    }

    /**
     * The time after which this request would be allowed by all policies, assuming no other traffic: the longest wait of any policy.
     * Empty unless the request is {@link #retryable()}. If a policy was {@linkplain Decision.Basis#SKIPPED skipped}, it did not decide, so
     * the time is a lower bound.
     */
    public Optional<Duration> retryAfter() {
        return retryable()
                ? decisions.stream().flatMap(CombinedDecision::waits).max(Duration::compareTo)
                : Optional.empty();
    }

    /** Returns all waits. A rule that allowed the request, but counted it as an attempt, has a wait if it would deny the request now. */
    private static Stream<Duration> waits(Decision decision) {
        Stream<Duration> ofRules = decision.rules().stream()
                .filter(rule -> !rule.rule().shadow())
                .map(RuleDecision::retryAfter)
                .flatMap(Optional::stream);
        return Stream.concat(ofRules, decision.retryAfter().stream());
    }

    /** How long an allowed request must wait before it continues: the longest {@link Decision#delay()}. Zero if it is denied. */
    public Duration delay() {
        return denied()
                ? Duration.ZERO
                : decisions.stream()
                        .map(Decision::delay)
                        .max(Duration::compareTo)
                        .orElse(Duration.ZERO);
    }

    /** Returns the decision as text: the outcome, and the decision of each policy. */
    @Override
    public String toString() {
        return (allowed() ? "allowed" : "denied by policy " + decisive().policyName()) + " " + decisions;
    }
}

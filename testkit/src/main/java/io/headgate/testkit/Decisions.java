package io.headgate.testkit;

import io.headgate.limits.Decision;
import io.headgate.limits.Policy;
import io.headgate.limits.bans.BanEntry;
import io.headgate.limits.internal.decision.EngineDecision;
import io.headgate.limits.internal.decision.EngineDecisions;
import io.headgate.limits.internal.decision.EngineRuleDecision;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * Builds decisions for tests of code that handles them, without an engine.
 *
 * <pre>{@code
 * Policy api = Policy.named("api")
 *         .rule(Rule.of("global", Limit.slidingWindow(1000, Duration.ofMinutes(1))))
 *         .rule(Rule.of("per-user", Limit.slidingWindow(5, Duration.ofMinutes(1)), "user"))
 *         .build();
 * Decision allowed = Decisions.allowed(api).remaining(3).build();
 * Decision denied = Decisions.denied(api, "per-user").retryAfter(Duration.ofSeconds(30)).build();
 * }</pre>
 *
 * <p>A decision has a result for each rule of its policy. What a test does not set has a default: one requested permit; all but one of
 * the permits of each limit remaining, or none if the rule denies the request; a retry-after and a reset-after of one second; and the
 * time 2027-01-15T08:00:00Z. A limiter accepts a built decision for a refund, but has not charged it.
 */
public final class Decisions {

    private static final Instant AT = Instant.parse("2027-01-15T08:00:00Z");

    private Decisions() {}

    /** Starts a decision that allows the request. */
    public static Builder allowed(Policy policy) {
        return new Builder(policy, true);
    }

    /**
     * Starts a decision by which a rule denies the request, and the other rules allow it.
     *
     * @throws IllegalArgumentException if the policy has no such rule, or the rule is in shadow mode
     */
    public static Builder denied(Policy policy, String rule) {
        Builder builder = new Builder(policy, false);
        builder.main = builder.denier(rule);
        return builder;
    }

    /** An allowed decision on the basis {@link Decision.Basis#OPEN}: Redis does not reply, and no rule was evaluated. */
    public static Decision open(Policy policy) {
        return EngineDecisions.open(policy, micros(AT));
    }

    /**
     * A denied decision on the basis {@link Decision.Basis#CLOSED}: Redis does not reply, and no rule was evaluated. If all rules are in
     * shadow mode, it is the decision of {@link #open}, because such a policy never denies.
     *
     * @param retryAfter at least 1 microsecond
     */
    public static Decision closed(Policy policy, Duration retryAfter) {
        return EngineDecisions.closed(policy, micros(AT), retryAfter.toNanos() / 1000);
    }

    /** A denied decision on the basis {@link Decision.Basis#PAUSED}: the request is paused, and no rule was evaluated. */
    public static Decision paused(Policy policy, Duration rest) {
        return EngineDecisions.paused(policy, micros(AT), rest.toNanos() / 1000);
    }

    /**
     * The decision by a ban or an exemption: denied on the basis {@link Decision.Basis#BANNED}, or allowed on the basis {@link
     * Decision.Basis#EXEMPT}.
     *
     * @throws IllegalArgumentException if the ban has ended when the request is decided, at {@code 2026-01-01T00:00:00Z}
     */
    public static Decision byBan(Policy policy, BanEntry ban) {
        long restMicros = ban.until().map(end -> micros(end) - micros(AT)).orElse(0L);
        if (ban.until().isPresent() && restMicros <= 0) {
            throw new IllegalArgumentException("the ban must end after " + AT + ", but ends at "
                    + ban.until().get());
        }
        return EngineDecisions.byBan(policy, micros(AT), ban, ban.kind().isExemption() ? 0 : restMicros);
    }

    private static long micros(Instant instant) {
        return ChronoUnit.MICROS.between(Instant.EPOCH, instant);
    }

    /**
     * Collects the values of a decision. A method for denied decisions throws an {@link IllegalStateException} if the decision is allowed,
     * and the reverse. Not safe for use by several threads.
     */
    public static final class Builder {

        private final Policy policy;
        private final boolean allowed;
        private final List<RuleState> rules;
        private Decision.Basis basis = Decision.Basis.COUNTED;
        private long permits = 1;
        private Instant at = AT;

        /** The rule of {@link Decisions#denied}; without meaning in an allowed decision. */
        private RuleState main;

        private Builder(Policy policy, boolean allowed) {
            this.policy = policy;
            this.allowed = allowed;
            this.rules = policy.rules().stream().map(RuleState::new).toList();
            this.main = rules.get(0);
        }

        private RuleState state(String rule) {
            return rules.get(policy.rules().indexOf(policy.rule(rule)));
        }

        private RuleState denier(String rule) {
            RuleState denier = state(rule);
            if (denier.rule.shadow()) {
                throw new IllegalArgumentException(
                        "rule " + rule + " is in shadow mode and never denies a request; use deniedInShadow");
            }
            denier.deny();
            return denier;
        }

        /** Sets how many permits were requested, and are charged if the request is allowed: 0 for a peek; 1 by default. */
        public Builder permits(long requested) {
            permits = requested;
            return this;
        }

        /** Sets {@link Decision#decidedAt()}. */
        public Builder at(Instant time) {
            at = time;
            return this;
        }

        /**
         * Sets {@link Decision#remaining()}: for every rule of an allowed decision, or for the rule of {@link Decisions#denied}.
         *
         * @param permits 0 to the limit; in an allowed decision, to the lowest limit of all rules
         */
        public Builder remaining(long permits) {
            if (!allowed) {
                main.remaining = permits;
                return this;
            }
            long most = rules.stream()
                    .mapToLong(one -> one.rule.limit().permits())
                    .min()
                    .orElse(0);
            if (permits < 0 || permits > most) {
                throw new IllegalArgumentException("remaining must be from 0 to " + most + ", but was " + permits);
            }
            rules.forEach(one -> one.remaining = permits);
            return this;
        }

        /**
         * Sets how many permits remain under one rule.
         *
         * @param permits 0 to the limit
         */
        public Builder remaining(String rule, long permits) {
            state(rule).remaining = permits;
            return this;
        }

        /** Sets {@link Decision#retryAfter()} of a denied decision; 1 second by default. It also raises a shorter reset-after. */
        public Builder retryAfter(Duration wait) {
            requireDenied("retry-after");
            main.denyFor(wait);
            return this;
        }

        /** Removes the retry-after of a denied decision, as for a request for more permits than the limit allows. */
        public Builder notRetryable() {
            requireDenied("denying rule");
            main.never = true;
            return this;
        }

        /**
         * Makes another rule deny the request, too. The decision reports the numbers of the rule with the longest wait; the methods
         * without the name of a rule still set those of the rule of {@link Decisions#denied}.
         *
         * @throws IllegalArgumentException if the policy has no such rule, or the rule is in shadow mode
         */
        public Builder alsoDeniedBy(String rule, Duration retryAfter) {
            requireDenied("denying rule");
            denier(rule).denyFor(retryAfter);
            return this;
        }

        private void requireDenied(String what) {
            if (allowed) {
                throw new IllegalStateException("an allowed decision has no " + what + "; start with Decisions.denied");
            }
        }

        /**
         * Marks a rule in shadow mode as one that would have denied the request.
         *
         * @throws IllegalArgumentException if the policy has no such rule, or the rule is not in shadow mode
         */
        public Builder deniedInShadow(String rule) {
            RuleState shadow = state(rule);
            if (!shadow.rule.shadow()) {
                throw new IllegalArgumentException(
                        "rule " + rule + " is not in shadow mode; use denied or alsoDeniedBy");
            }
            shadow.deny();
            return this;
        }

        /** Sets {@link Decision#delay()} of an allowed decision; zero by default. */
        public Builder delay(Duration delay) {
            if (!allowed) {
                throw new IllegalStateException("a denied decision has no delay; start with Decisions.allowed");
            }
            rules.stream().filter(one -> !one.rule.shadow()).forEach(one -> one.delayMicros = delay.toNanos() / 1000);
            return this;
        }

        /** Sets {@link Decision#resetAfter()}: for every rule of an allowed decision, or for the rule of {@link Decisions#denied}. */
        public Builder resetAfter(Duration reset) {
            (allowed ? rules : List.of(main)).forEach(one -> one.resetMicros = reset.toNanos() / 1000);
            return this;
        }

        /** Sets the reset-after of one rule. */
        public Builder resetAfter(String rule, Duration reset) {
            state(rule).resetMicros = reset.toNanos() / 1000;
            return this;
        }

        /**
         * Sets {@link Decision#basis()}; {@code COUNTED} by default.
         *
         * @param basis {@code COUNTED} or {@code LOCAL_SHARE}; {@code LEASED} if the decision is allowed; {@code CACHED_DENIAL} if it
         *     is denied, which leaves only the rule of {@link Decisions#denied}
         * @throws IllegalArgumentException for another basis; see {@link Decisions#open} and {@link Decisions#closed}
         */
        public Builder basis(Decision.Basis basis) {
            Decision.Basis own = allowed ? Decision.Basis.LEASED : Decision.Basis.CACHED_DENIAL;
            Set<Decision.Basis> possible = EnumSet.of(Decision.Basis.COUNTED, own, Decision.Basis.LOCAL_SHARE);
            if (!possible.contains(basis)) {
                throw new IllegalArgumentException((allowed ? "an allowed" : "a denied")
                        + " decision with rules can't have the basis " + basis + "; use one of " + possible);
            }
            this.basis = basis;
            return this;
        }

        /**
         * Returns the decision.
         *
         * @throws IllegalArgumentException if a number is out of its range
         */
        public Decision build() {
            EngineDecision counted = EngineDecisions.of(
                    policy,
                    micros(at),
                    permits,
                    rules.stream().map(RuleState::decision).toArray(EngineRuleDecision[]::new));
            return switch (basis) {
                case CACHED_DENIAL -> EngineDecisions.cachedDenial(policy, micros(at), main.decision());
                case LEASED -> EngineDecisions.leased(counted, permits, 0);
                case LOCAL_SHARE -> EngineDecisions.byShare(policy, counted, permits);
                default -> counted;
            };
        }
    }
}

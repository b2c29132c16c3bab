package io.headgate.limits;

import io.headgate.limits.bans.BanEntry;
import io.headgate.limits.combined.CombinedRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The result of a request: whether it is allowed, and the state of each rule.
 *
 * <p>The limit, remaining permits, retry-after and reset-after of a decision are those of its {@linkplain #decisive() decisive}
 * rule. If the request is denied, that is a rule that never allows it, or else the rule with the longest wait. If it is allowed, it is
 * the rule with the fewest remaining permits. A rule {@linkplain Rule#inShadow() in shadow mode} is decisive only in a policy without
 * other rules, where it is chosen as if these rules could deny.
 *
 * <p>A decision on the basis {@link Basis#EXEMPT}, {@link Basis#PAUSED}, {@link Basis#OPEN}, {@link Basis#CLOSED} or {@link Basis#SKIPPED},
 * or by a {@linkplain #ban() ban of an operator}, was made without reading a count, so it has no rules. It has no decisive rule, its limit
 * and remaining permits are 0, and its reset-after is zero. If it is a denial, it has a retry-after, unless the request is banned
 * permanently.
 *
 * <p>Decisions are immutable and safe for use by any number of threads. Only engines create them, and a limiter refunds no other
 * implementation of this interface. To test your own code, use the builder of decisions in headgate-testkit.
 */
public interface Decision {

    /** What a decision is based on. */
    enum Basis {

        /** The current counts of the store. */
        COUNTED,

        /**
         * A cached denial: a request for the same ids, and for as many permits or fewer, was denied before, and that denial still
         * holds. {@link Decision#rules()} has only the rule that denies. Its numbers are those of the earlier denial; its times are
         * current.
         */
        CACHED_DENIAL,

        /**
         * A lease: the request spent permits that this process had charged in advance. The numbers and times are those of that earlier
         * charge, except that the unspent permits of the lease count as remaining, and shorten the reset-after of a bucket.
         */
        LEASED,

        /**
         * The {@linkplain Fallback#local() local share} of this process, because Redis does not reply. {@link Decision#remaining()} is
         * the number of permits left in the share.
         */
        LOCAL_SHARE,

        /**
         * No count, because Redis does not reply. The fallback of the policy is {@linkplain Fallback#open() open}; or it is closed, but
         * all rules are in shadow mode and deny nothing.
         */
        OPEN,

        /** No count, because Redis does not reply; the fallback of the policy is {@linkplain Fallback#closed() closed}. */
        CLOSED,

        /** No count, because requests with these attributes are {@linkplain Limiter#pause(Attributes, Duration) paused}. */
        PAUSED,

        /**
         * No count, because requests with these attributes are banned: by an operator, see {@link Decision#ban()}; or by a {@linkplain
         * Rule#banning rule}, see {@link RuleDecision#bannedFor()}. If this process had cached the ban of a rule, {@link Decision#rules()} has
         * only this rule.
         */
        BANNED,

        /** No count, because requests with these attributes are exempt from limits; see {@link Decision#ban()}. */
        EXEMPT,

        /**
         * No count, because a cached denial, a ban or a pause of another policy already denied the {@linkplain CombinedRequest request to
         * several policies}. The decision is allowed and charges nothing. Listeners are not notified of it.
         */
        SKIPPED
    }

    /** The name of the policy. Only limiters of this policy refund the decision. */
    String policyName();

    /** What the decision is based on. */
    Basis basis();

    /**
     * Whether this policy allows the request. An allowed request was not necessarily charged; see {@link #charged()}.
     */
    boolean allowed();

    /** The opposite of {@link #allowed()}. */
    default boolean denied() {
        return !allowed();
    }

    /**
     * The name of the rule that denied the request; if several did, the one with the longest wait. Empty if the request is allowed, or
     * was denied without rules ({@link Basis#CLOSED}, {@link Basis#PAUSED}, a ban of an operator).
     */
    Optional<String> deniedBy();

    /** The names of the rules in shadow mode that would have denied the request, in the order of the policy. */
    List<String> deniedInShadow();

    /** The rule whose numbers this decision reports; empty if the decision has no rules. */
    Optional<RuleDecision> decisive();

    /**
     * The result of each rule, in the order of the policy. A decision that is not based on the current counts may have fewer rules
     * than the policy, or none.
     */
    List<RuleDecision> rules();

    /**
     * The ban of an operator that denied the request, or the exemption that allowed it without counting it. Present on the basis {@link
     * Basis#EXEMPT}, and on {@link Basis#BANNED} unless a rule has banned the id.
     */
    default Optional<BanEntry> ban() {
        return Optional.empty();
    }

    /** The limit of the decisive rule, in permits; 0 if there is no decisive rule. */
    long limit();

    /** How many more permits the decisive rule admits at this instant; 0 if there is no decisive rule, even of an allowed request. */
    long remaining();

    /**
     * Whether the request is denied and would be allowed after {@link #retryAfter()}. False if it is allowed, if it requests more
     * permits than the limit of a rule outside shadow mode, and if it is banned permanently.
     */
    boolean retryable();

    /**
     * The time after which this request would be allowed, assuming no other traffic; to the microsecond. Empty unless the decision is
     * {@link #retryable()}. For a denial on the basis {@link Basis#CLOSED}, and for a request for more permits than the {@linkplain
     * Basis#LOCAL_SHARE local share}, it is only the suggested time to the next attempt.
     */
    Optional<Duration> retryAfter();

    /**
     * How long an allowed request must wait before it continues: the longest {@link RuleDecision#delay()} of its rules outside shadow
     * mode. Zero if this policy denies the request, and in policies without a {@linkplain LeakyBucket#shaper() shaper}.
     */
    Duration delay();

    /**
     * The time after which the whole limit of the decisive rule is available again, assuming no other traffic. Zero if there is no
     * decisive rule.
     */
    Duration resetAfter();

    /**
     * How many permits were charged: the requested permits if the request was allowed, and 0 if it was denied or was a peek. An allowed
     * request has 0 too if another policy denied the {@linkplain CombinedRequest request to several policies}, or if the decision is
     * {@linkplain Basis#OPEN without rules}.
     *
     * <p>This number does not include attempts: a rule that {@linkplain Rule#countingAttempts() counts attempts} was charged even if the
     * request was denied. A rule in shadow mode that would have denied an allowed request was charged only such an attempt, if any.
     */
    long charged();

    /**
     * The id of the charge, by which it is refunded at most once. Every decision has one, even if nothing was charged. Two decisions
     * have the same id only if one repeats the other for a request with the same {@link RequestId}. Never 0.
     */
    long chargeId();

    /**
     * When the request was decided, by the clock of the engine. On Redis, that is the clock of Redis; if a fallback decided, that of this
     * process. For {@linkplain Basis#LEASED leased} permits, it is when they were charged. If rules were decided at different times, it
     * is the latest of these times.
     */
    Instant decidedAt();

    /**
     * When one of the {@link #rules()} was decided. This differs from {@link #decidedAt()} only in a Redis Cluster: rules whose keys
     * are in different slots are decided by separate calls, each by the clock of its node.
     *
     * @param rule the name of the rule
     * @throws IllegalArgumentException if the decision has no such rule
     */
    Instant decidedAt(String rule);

    /** When the request was decided, as {@link #decidedAt()} returns it, in microseconds since 1970. */
    long decidedAtMicros();
}

package io.headgate.limits;

import io.headgate.limits.internal.Bounds;
import io.headgate.limits.internal.ChargeIds;
import io.headgate.limits.internal.Micros;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The answer to a request: whether it may pass, and what the rules know.
 *
 * <p>Its own limit, remaining, retry-after and reset-after are those of the {@linkplain #decisive() decisive} rule: of
 * a denied request the rule that makes the next one wait longest, of an allowed one the rule that has least left. A rule {@linkplain
 * Rule#inShadow() in the shadow} is decisive only where there are no others. Immutable.
 */
public final class Decision {

    /** On what a decision rests. */
    public enum Basis {

        /** On the counts: whoever keeps them decided. */
        COUNTED,

        /**
         * On an earlier denial: the same was denied before and told to be so until later, so it was denied again where it was
         * asked. Only the rules that are known to deny say something, and what they say is as old as that denial, but for the times,
         * which go on.
         */
        DENIED_BEFORE,

        /**
         * On a lease: permits that were charged before were spent where it was asked. What the rules say is as of when they
         * were charged, but for what is left of the lease, which counts as remaining.
         */
        LEASED,

        /**
         * On what this instance admits by itself while Redis does not answer: its {@linkplain Fallback#local() share} of the
         * limits. What remains is what remains of the share.
         */
        LOCAL_SHARE,

        /** On nothing, as Redis does not answer and the policy is {@linkplain Fallback#open() open} then. */
        OPEN,

        /** On nothing, as Redis does not answer and the policy is {@linkplain Fallback#closed() closed} then. */
        CLOSED
    }

    private static final VarHandle CHARGE_ID;

    static {
        try {
            CHARGE_ID = MethodHandles.lookup().findVarHandle(Decision.class, "chargeId", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final String policyName;
    private final long decidedAtMicros;

    private final long charged;
    private final Basis basis;

    private final RuleDecision decisive;

    /** Null when there is only the decisive one, as in most decisions: these are to be two small objects. */
    private final @Nullable List<RuleDecision> several;

    /** When each of several decided; null when that was at one instant, as it is unless their keys lie in several slots of a Cluster. */
    private final long @Nullable [] ruleMicros;

    /** 0 until it is asked for: a decision that is not refunded needs no id. */
    private volatile long chargeId;

    private Decision(
            String policyName,
            Basis basis,
            long decidedAtMicros,
            long permits,
            RuleDecision decisive,
            @Nullable List<RuleDecision> several) {
        this(policyName, basis, decidedAtMicros, permits, decisive, several, null);
    }

    private Decision(
            String policyName,
            Basis basis,
            long decidedAtMicros,
            long permits,
            RuleDecision decisive,
            @Nullable List<RuleDecision> several,
            long @Nullable [] ruleMicros) {
        this.policyName = policyName;
        this.basis = basis;
        this.decidedAtMicros = decidedAtMicros;
        this.decisive = decisive;
        this.charged = allowed() ? permits : 0;
        this.several = several;
        this.ruleMicros = ruleMicros;
    }

    /**
     * A decision of a policy of one rule; for engines and tests.
     *
     * @param policy the policy that decided
     * @param decidedAtMicros when, in microseconds since 1970
     * @param permits how many are charged if they are allowed: 0 for a look
     * @param rule what its only rule said
     * @throws IllegalArgumentException when the policy has other rules
     */
    public static Decision of(Policy policy, long decidedAtMicros, long permits, RuleDecision rule) {
        List<Rule> expected = policy.rules();
        if (expected.size() != 1 || !isSame(expected.get(0), rule.rule())) {
            throw notOf(policy, rule);
        }
        Decision decision = new Decision(policy.name(), Basis.COUNTED, decidedAtMicros, permits, rule, null);
        return decision.requireDenier();
    }

    /**
     * A decision; for engines and tests.
     *
     * @param policy the policy that decided
     * @param decidedAtMicros when, in microseconds since 1970
     * @param permits how many are charged if they are allowed: 0 for a look
     * @param rules what each of its rules said, in the order of the policy
     * @throws IllegalArgumentException when these are other rules than the policy has, or in another order
     */
    public static Decision of(Policy policy, long decidedAtMicros, long permits, RuleDecision... rules) {
        return of(policy, decidedAtMicros, null, permits, rules);
    }

    /**
     * A decision whose rules decided each by itself, by the clock of where it is counted; for engines and tests.
     *
     * @param policy the policy that decided
     * @param decidedAtMicros when each of its rules did, in microseconds since 1970
     * @param permits how many are charged if they are allowed: 0 for a look
     * @param rules what each of its rules said, in the order of the policy
     * @throws IllegalArgumentException when these are other rules than the policy has, or in another order, or there are not as many
     *     times
     */
    public static Decision of(Policy policy, long[] decidedAtMicros, long permits, RuleDecision... rules) {
        if (decidedAtMicros.length != rules.length) {
            throw new IllegalArgumentException("each rule decided at one time; there are " + rules.length
                    + " rules, and the times were " + Arrays.toString(decidedAtMicros));
        }
        long latest = Arrays.stream(decidedAtMicros).max().orElse(0);
        boolean atOnce = Arrays.stream(decidedAtMicros).allMatch(micros -> micros == latest);
        return of(policy, latest, atOnce ? null : decidedAtMicros.clone(), permits, rules);
    }

    private static Decision of(
            Policy policy, long decidedAtMicros, long @Nullable [] ruleMicros, long permits, RuleDecision... rules) {
        if (rules.length == 1) {
            return of(policy, decidedAtMicros, permits, rules[0]);
        }
        List<Rule> expected = policy.rules();
        boolean same = rules.length == expected.size();
        for (int i = 0; same && i < rules.length; i++) {
            same = isSame(expected.get(i), rules[i].rule());
        }
        if (!same) {
            throw notOf(policy, rules);
        }
        List<RuleDecision> copy = List.of(rules);
        Decision decision = new Decision(
                policy.name(), Basis.COUNTED, decidedAtMicros, permits, decisiveOf(copy), copy, ruleMicros);
        return decision.requireDenier();
    }

    /**
     * A denial by one rule of the policy that is known from an earlier one; for engines and tests.
     *
     * @param policy the policy that was asked
     * @param decidedAtMicros when, in microseconds since 1970
     * @param rule what the rule says
     * @throws IllegalArgumentException when it does not deny, or is in the shadow
     */
    public static Decision deniedBefore(Policy policy, long decidedAtMicros, RuleDecision rule) {
        if (rule.allowed() || rule.rule().shadow()) {
            throw new IllegalArgumentException("a rule that was known to deny must deny, was " + rule);
        }
        return new Decision(policy.name(), Basis.DENIED_BEFORE, decidedAtMicros, 0, rule, null);
    }

    /**
     * An admission by permits that were charged before; for engines and tests.
     *
     * @param lease the decision that charged them
     * @param permits how many of them are spent, at least 1
     * @param left how many are left to be spent
     * @throws IllegalArgumentException when the lease was denied, or a number is out of its range
     */
    public static Decision leased(Decision lease, long permits, long left) {
        Bounds.inRange("permits", permits, 1, lease.charged());
        Bounds.inRange("left", left, 0, lease.charged() - permits);
        if (lease.several == null) {
            RuleDecision only = lease.decisive.withRemaining(left);
            return new Decision(lease.policyName, Basis.LEASED, lease.decidedAtMicros, permits, only, null);
        }
        List<RuleDecision> rules =
                lease.several.stream().map(rule -> rule.withRemaining(left)).toList();
        return new Decision(
                lease.policyName,
                Basis.LEASED,
                lease.decidedAtMicros,
                permits,
                decisiveOf(rules),
                rules,
                lease.ruleMicros);
    }

    /**
     * What an instance decided by its share of the limits; for engines.
     *
     * @param policy the policy that was asked for
     * @param ofShare what was decided by the same rules with limits that are shares of its own
     * @param permits how many were asked for
     */
    public static Decision byShare(Policy policy, Decision ofShare, long permits) {
        List<RuleDecision> shares = ofShare.rules();
        RuleDecision[] rules = new RuleDecision[shares.size()];
        for (int i = 0; i < rules.length; i++) {
            rules[i] = shares.get(i).ofWhole(policy.rules().get(i), permits);
        }
        List<RuleDecision> several = rules.length == 1 ? null : List.of(rules);
        return new Decision(
                policy.name(),
                Basis.LOCAL_SHARE,
                ofShare.decidedAtMicros,
                ofShare.charged,
                several == null ? rules[0] : decisiveOf(several),
                several);
    }

    /** What is answered where everything is let in, and nothing is known; for engines. */
    public static Decision open(Policy policy, long decidedAtMicros) {
        Rule rule = policy.rules().get(0);
        RuleDecision said = RuleDecision.allowed(rule, rule.limit().permits(), 0);
        return new Decision(policy.name(), Basis.OPEN, decidedAtMicros, 0, said, null);
    }

    /**
     * What is answered where nobody is let in, and nothing is known; for engines. It is said in the name of the first rule that is
     * not in the shadow; where there is none, all are let in.
     */
    public static Decision closed(Policy policy, long decidedAtMicros, long retryMicros) {
        for (Rule rule : policy.rules()) {
            if (!rule.shadow()) {
                RuleDecision said = RuleDecision.denied(rule, 0, retryMicros, retryMicros);
                return new Decision(policy.name(), Basis.CLOSED, decidedAtMicros, 0, said, null);
            }
        }
        return open(policy, decidedAtMicros);
    }

    /** Where the next one has to wait, somebody denied this one. */
    private Decision requireDenier() {
        if (denied() && decisive.allowed() && denier().isEmpty()) {
            throw new IllegalArgumentException("a request that every rule allows is not an attempt; was " + rules());
        }
        return this;
    }

    @SuppressWarnings("ReferenceEquality") // most often it is the same object, and a rule has a lot to compare
    private static boolean isSame(Rule expected, Rule given) {
        return expected == given || expected.equals(given);
    }

    private static IllegalArgumentException notOf(Policy policy, RuleDecision... decisions) {
        List<Rule> given = Stream.of(decisions).map(RuleDecision::rule).toList();
        List<String> names = given.stream().map(Rule::name).toList();
        List<String> expected = policy.rules().stream().map(Rule::name).toList();
        return new IllegalArgumentException("policy " + policy.name() + " has the rules "
                + (names.equals(expected)
                        ? policy.rules() + "; the decisions are of " + given
                        : expected + " in this order; the decisions are of " + names));
    }

    private static RuleDecision decisiveOf(List<RuleDecision> rules) {
        RuleDecision decisive = rules.get(0);
        for (int i = 1; i < rules.size(); i++) {
            if (precedes(rules.get(i), decisive)) {
                decisive = rules.get(i);
            }
        }
        return decisive;
    }

    private static boolean precedes(RuleDecision rule, RuleDecision other) {
        if (rule.rule().shadow() != other.rule().shadow()) {
            return other.rule().shadow();
        }
        long longer = Long.compare(rule.waitMicros(), other.waitMicros());
        return longer > 0 || (longer == 0 && rule.remaining() < other.remaining());
    }

    /** The name of the policy that decided; only its limiters take the decision back. */
    public String policyName() {
        return policyName;
    }

    /** On what the decision rests: on the counts, unless the engine was able to do without asking for them. */
    public Basis basis() {
        return basis;
    }

    /** Whether the request may pass, and was charged if it was not only a look. */
    public boolean allowed() {
        return decisive.waitMicros() == 0 || decisive.rule().shadow();
    }

    /** The opposite of {@link #allowed()}. */
    public boolean denied() {
        return !allowed();
    }

    /** The name of the rule that denied the request; the one to wait longest for, when several did. */
    public Optional<String> deniedBy() {
        return denier().map(rule -> rule.rule().name());
    }

    /** Not always the decisive rule, which under attempts that count may be one that this request filled. */
    private Optional<RuleDecision> denier() {
        if (denied() && !decisive.allowed()) {
            return Optional.of(decisive);
        }
        return denied()
                ? rules().stream()
                        .filter(rule -> !rule.allowed() && !rule.rule().shadow())
                        .max(Comparator.comparingLong(RuleDecision::waitMicros))
                : Optional.empty();
    }

    /** The names of the rules in the shadow that would have denied the request, in the order of the policy. */
    public List<String> deniedInShadow() {
        if (several == null && !decisive.rule().shadow()) {
            return List.of();
        }
        return rules().stream()
                .filter(rule -> rule.rule().shadow() && !rule.allowed())
                .map(rule -> rule.rule().name())
                .toList();
    }

    /** The rule whose numbers this decision reports. */
    public RuleDecision decisive() {
        return decisive;
    }

    /** What each rule said, in the order of the policy; of a decision that does not rest on the counts, those that said something. */
    public List<RuleDecision> rules() {
        return several == null ? List.of(decisive) : several;
    }

    /** The most permits that the decisive rule can admit at once. */
    public long limit() {
        return decisive.limit();
    }

    /** How many more permits the decisive rule would admit at this instant. */
    public long remaining() {
        return decisive.remaining();
    }

    /**
     * Whether waiting helps: the request is denied, and the same one would be admitted after {@link #retryAfter()}. Not
     * so when it is allowed, nor when it asks for more than a limit.
     */
    public boolean retryable() {
        return denied() && decisive.retryable();
    }

    /**
     * How long until the same request would be admitted if nothing else were meanwhile; empty unless it is {@link
     * #retryable()}.
     */
    public Optional<Duration> retryAfter() {
        return denied() ? decisive.retryAfter() : Optional.empty();
    }

    /**
     * How long an admitted request is to wait before it goes on: the longest {@link RuleDecision#delay()} of its rules.
     * Zero when it is denied, and unless a {@linkplain LeakyBucket#shaper() leaky bucket shapes}.
     */
    public Duration delay() {
        long longest = 0;
        for (RuleDecision rule : rules()) {
            longest = allowed() && !rule.rule().shadow() ? Math.max(longest, rule.delayMicros()) : longest;
        }
        return Micros.toDuration(longest);
    }

    /** How long until the decisive rule's whole limit is available again if nothing else is admitted. */
    public Duration resetAfter() {
        return decisive.resetAfter();
    }

    /**
     * How many permits were charged: those that were asked for, and 0 when they were denied or it was only a look. Rules
     * in the shadow that would have denied them were not charged; rules under which attempts count were charged with
     * denied ones, too.
     */
    public long charged() {
        return charged;
    }

    /**
     * Identifies what this decision charged: a refund of each id takes effect once. No two decisions share an id, but for one that
     * is replayed to a request with the same {@link RequestId}. Never 0.
     */
    public long chargeId() {
        long id = chargeId;
        if (id == 0) {
            long fresh = ChargeIds.next();
            id = CHARGE_ID.compareAndSet(this, 0L, fresh) ? fresh : chargeId;
        }
        return id;
    }

    /**
     * This decision as one that charged under that id; for engines, and for those who store what a decision charged.
     *
     * @param id the {@link #chargeId()} of the decision that was stored
     * @throws IllegalArgumentException when the id is 0
     */
    public Decision withChargeId(long id) {
        if (id == 0) {
            throw new IllegalArgumentException("chargeId must not be 0");
        }
        Decision same = new Decision(policyName, basis, decidedAtMicros, charged, decisive, several, ruleMicros);
        CHARGE_ID.setRelease(same, id);
        return same;
    }

    /**
     * This decision with a {@link #chargeId()} that follows from the id of its request and from when it was decided, so that
     * every process to which it is replayed has the same; for engines.
     */
    public Decision chargedOnceAs(RequestId id) {
        return withChargeId(ChargeIds.of(id.value(), decidedAtMicros));
    }

    /**
     * When it was decided, by the clock of the engine: Redis's own, where it was decided there. Of permits that were {@linkplain
     * Basis#LEASED leased}, when they were charged. Of rules that were decided apart, the latest {@link #decidedAt(String)}.
     */
    public Instant decidedAt() {
        return Micros.toInstant(decidedAtMicros);
    }

    /**
     * When one of its {@link #rules()} decided: {@link #decidedAt()}, but in a Redis Cluster, where rules whose keys lie in several
     * slots are decided apart, each by the clock of where it is counted.
     *
     * @param rule its name
     * @throws IllegalArgumentException when no rule of that name said anything
     */
    public Instant decidedAt(String rule) {
        List<RuleDecision> said = rules();
        for (int i = 0; i < said.size(); i++) {
            if (said.get(i).rule().name().equals(rule)) {
                return Micros.toInstant(ruleMicros == null ? decidedAtMicros : ruleMicros[i]);
            }
        }
        throw new IllegalArgumentException("this decision is of the rules "
                + said.stream().map(one -> one.rule().name()).toList() + ", was asked for " + rule);
    }

    /** The same in microseconds since 1970, without an object. */
    public long decidedAtMicros() {
        return decidedAtMicros;
    }

    /** Whether both say the same, on whatever {@linkplain #basis() basis} and under whatever {@link #chargeId()}. */
    @Override
    public boolean equals(Object other) {
        return other instanceof Decision that
                && policyName.equals(that.policyName)
                && decidedAtMicros == that.decidedAtMicros
                && charged() == that.charged()
                && rules().equals(that.rules())
                && Arrays.equals(ruleMicros, that.ruleMicros);
    }

    @Override
    public int hashCode() {
        return Long.hashCode(decidedAtMicros) * 31 + rules().hashCode();
    }

    @Override
    public String toString() {
        return (allowed() ? "allowed" : "denied by " + deniedBy().orElseThrow()) + " at " + decidedAt() + " " + rules();
    }
}

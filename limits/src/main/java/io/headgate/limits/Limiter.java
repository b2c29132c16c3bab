package io.headgate.limits;

import io.headgate.limits.internal.waiting.Waiting;
import java.time.Duration;
import java.util.List;

/**
 * One policy, ready to be asked. Safe for use by any number of threads, virtual ones too.
 *
 * <p>These calls wait for the answer, never longer than the engine's time-out; only {@code acquire} waits for permits, too.
 * {@link #async()} has the same calls that don't wait. A denial is a {@link Decision}, not an exception.
 */
public interface Limiter {

    /** The policy that decides now. */
    Policy policy();

    /**
     * Goes on with another version of the policy: what is counted stays counted, and requests from now on are decided by
     * the new limits. Of what was counted under the old ones, docs/limits.md says for each kind of limit what counts.
     * Other limiters of the policy, here and elsewhere, keep theirs until they are told too; meanwhile all of them go on
     * from the same counts.
     *
     * @throws IllegalArgumentException when the policy has another name or colocation, or counts a rule of the same name
     *     by other dimensions; nothing is changed
     */
    void update(Policy policy);

    /** The same calls without waiting. */
    AsyncLimiter async();

    /**
     * Asks for permits, and takes them from every rule when all of them have enough.
     *
     * @param attributes what is known of the request; must have every dimension of the policy's rules
     * @param permits at least 1; more than a rule's limit is denied
     * @throws IllegalArgumentException when a dimension is missing or {@code permits} is below 1; nothing is charged
     * @throws LimiterException when the store can't be asked
     */
    Decision tryAcquire(Attributes attributes, long permits);

    /** {@link #tryAcquire(Attributes, long)} for one permit. */
    default Decision tryAcquire(Attributes attributes) {
        return tryAcquire(attributes, 1);
    }

    /**
     * {@link #tryAcquire(Attributes, long)} of a policy that has a single dimension, by the id in it.
     *
     * @throws IllegalArgumentException when the policy has none or several
     */
    default Decision tryAcquire(String id, long permits) {
        return tryAcquire(policy().attributesOf(id), permits);
    }

    /** {@link #tryAcquire(String, long)} for one permit. */
    default Decision tryAcquire(String id) {
        return tryAcquire(id, 1);
    }

    /**
     * {@link #tryAcquire(Attributes)} of a policy that has no dimension: all its rules are global.
     *
     * @throws IllegalArgumentException when the policy has one
     */
    default Decision tryAcquire() {
        return tryAcquire(Attributes.none());
    }

    /**
     * {@link #tryAcquire(Attributes, long)} that is charged once, however often and from whichever process it is asked: the
     * same id asked again within the engine's horizon gets the decision that it got then, and charges nothing more. So
     * whoever did not get the answer may ask again. A denial that charged nothing is not kept, and is decided anew; one
     * that {@linkplain Rule#countingAttempts() counted as an attempt} is. docs/limits.md says more.
     *
     * @param id unique among the requests to the policy within the horizon
     * @throws RequestIdReusedException when the id was used for other permits or attributes; nothing is charged
     * @throws IllegalArgumentException when a dimension is missing or {@code permits} is below 1; nothing is charged
     * @throws LimiterException when the store can't be asked; or when the request was decided by other rules, before an
     *     {@link #update}, and then it is not charged again
     */
    Decision tryAcquire(Attributes attributes, long permits, RequestId id);

    /** {@link #tryAcquire(Attributes, long, RequestId)} for one permit. */
    default Decision tryAcquire(Attributes attributes, RequestId id) {
        return tryAcquire(attributes, 1, id);
    }

    /** {@link #tryAcquire(Attributes, long, RequestId)} of a policy that has a single dimension, by the id in it. */
    default Decision tryAcquire(String id, long permits, RequestId requestId) {
        return tryAcquire(policy().attributesOf(id), permits, requestId);
    }

    /** {@link #tryAcquire(String, long, RequestId)} for one permit. */
    default Decision tryAcquire(String id, RequestId requestId) {
        return tryAcquire(id, 1, requestId);
    }

    /** {@link #tryAcquire(Attributes, RequestId)} of a policy that has no dimension. */
    default Decision tryAcquire(RequestId id) {
        return tryAcquire(Attributes.none(), id);
    }

    /**
     * Waits for permits, for calls that go out under somebody's quota. Those who wait at this limiter for the same ids are
     * served in the order in which they came, and only the first of them asks, never sooner than a denial named. It
     * returns as soon as it is known that the wait would be too long. Under a {@linkplain LeakyBucket#shaper() leaky bucket
     * that shapes} it waits for the delay, too, and the permits are given back when that would be too long.
     *
     * <p>What this limiter itself changes is asked for at once: {@link #update} wakes the first of every line, a reset those
     * whom that count denied, a refund as many of them as permits were taken back. What others change, in other processes or
     * by another limiter, is noticed when the retry-after has passed that was told last, which is within {@code maxWait}.
     *
     * @param permits at least 1
     * @param maxWait how long to wait at most: 0 to 366 days; an answer that is under way may take the engine's time-out
     *     longer
     * @return an allowed decision; or a denied one when no permits could be had in time, that of another one who was
     *     served first when it never was this one's turn
     * @throws InterruptedException when the thread is interrupted; nothing stays charged, unless the store does not answer in
     *     time what was just being asked
     * @throws IllegalArgumentException as {@link #tryAcquire(Attributes, long)}
     * @throws LimiterException when the store can't be asked, which ends the wait; where it {@linkplain
     *     LimiterException#mayBeCharged() may be charged} all the same, that is not given back, also when an answer comes
     *     after the time-out
     */
    default Decision acquire(Attributes attributes, long permits, Duration maxWait) throws InterruptedException {
        return Waiting.on(async().acquire(attributes, permits, maxWait));
    }

    /** {@link #acquire(Attributes, long, Duration)} for one permit. */
    default Decision acquire(Attributes attributes, Duration maxWait) throws InterruptedException {
        return acquire(attributes, 1, maxWait);
    }

    /** {@link #acquire(Attributes, long, Duration)} of a policy that has a single dimension, by the id in it. */
    default Decision acquire(String id, long permits, Duration maxWait) throws InterruptedException {
        return acquire(policy().attributesOf(id), permits, maxWait);
    }

    /** {@link #acquire(String, long, Duration)} for one permit. */
    default Decision acquire(String id, Duration maxWait) throws InterruptedException {
        return acquire(id, 1, maxWait);
    }

    /** {@link #acquire(Attributes, Duration)} of a policy that has no dimension. */
    default Decision acquire(Duration maxWait) throws InterruptedException {
        return acquire(Attributes.none(), maxWait);
    }

    /**
     * What {@link #tryAcquire(Attributes, long)} would answer now; charges nothing and changes nothing. Its remaining
     * and reset-after are those before a charge.
     */
    Decision peek(Attributes attributes, long permits);

    /** {@link #peek(Attributes, long)} for one permit. */
    default Decision peek(Attributes attributes) {
        return peek(attributes, 1);
    }

    /** {@link #peek(Attributes, long)} of a policy that has a single dimension, by the id in it. */
    default Decision peek(String id, long permits) {
        return peek(policy().attributesOf(id), permits);
    }

    /** {@link #peek(String, long)} for one permit. */
    default Decision peek(String id) {
        return peek(id, 1);
    }

    /** {@link #peek(Attributes)} of a policy that has no dimension. */
    default Decision peek() {
        return peek(Attributes.none());
    }

    /**
     * Takes back what a decision charged, for a request that was admitted and then came to nothing. What no longer counts
     * is not taken back: permits that have left their window, and those that a bucket has already paid off. Nothing else
     * is: no other window, and no more than was charged. Nothing is taken back of a rule that {@link #update} has removed since,
     * or given another kind of limit.
     *
     * <p>A decision is refunded once. A second refund returns 0 and changes nothing, so a refund that ended in an exception can be
     * retried. A decision that was replayed under its {@link RequestId} is the same decision. A decision can be refunded until the
     * {@link RuleDecision#resetAfter()} of each rule has passed; later the refund returns 0. docs/limits.md describes what a refund
     * may take of others' permits in a bucket, and after a reset.
     *
     * @param attributes those that the decision was asked with
     * @param decision what {@link #tryAcquire(Attributes, long)} answered; nothing is taken back of one that was denied
     * @return how many permits were taken back now, by the rule that took back most; a share of one counts as one
     * @throws IllegalArgumentException when a dimension is missing, or the decision is of another policy; nothing is taken
     *     back
     * @throws LimiterException when the store can't be asked
     */
    long refund(Attributes attributes, Decision decision);

    /** {@link #refund(Attributes, Decision)} of a policy that has a single dimension, by the id in it. */
    default long refund(String id, Decision decision) {
        return refund(policy().attributesOf(id), decision);
    }

    /** {@link #refund(Attributes, Decision)} of a policy that has no dimension. */
    default long refund(Decision decision) {
        return refund(Attributes.none(), decision);
    }

    /**
     * Takes back up to so many of the oldest permits that still count, of every rule. In a sliding window, those that were
     * admitted before them are forgotten, which a longer window would still count.
     *
     * @param permits at least 1
     * @return how many were taken back, by the rule that took back most
     * @throws IllegalArgumentException when a dimension is missing or {@code permits} is below 1; nothing is taken back
     * @throws LimiterException when the store can't be asked
     */
    long refund(Attributes attributes, long permits);

    /** {@link #refund(Attributes, long)} of a policy that has a single dimension, by the id in it. */
    default long refund(String id, long permits) {
        return refund(policy().attributesOf(id), permits);
    }

    /** {@link #refund(Attributes, long)} of a policy that has no dimension. */
    default long refund(long permits) {
        return refund(Attributes.none(), permits);
    }

    /**
     * Forgets what one rule has counted for these attributes, as if nothing had been admitted.
     *
     * @param rule the name of a rule of the policy
     * @return whether a count was stored there; one that no longer matters may still be, or not
     * @throws IllegalArgumentException when there is no such rule or one of its dimensions is missing
     * @throws LimiterException when the store can't be asked
     */
    boolean reset(String rule, Attributes attributes);

    /**
     * Forgets what this id has used up, of a policy that has a single dimension: {@link #reset(String, Attributes)} of
     * each rule that counts by it. Rules without dimensions keep their counts, which belong to
     * everybody.
     *
     * @param id a user, an address: what {@link #tryAcquire(String)} takes; not the name of a rule
     * @return whether a count was stored for any of these rules
     * @throws IllegalArgumentException when the policy has no dimension or several
     */
    default boolean reset(String id) {
        Attributes attributes = policy().attributesOf(id);
        boolean any = false;
        for (Rule rule : policy().rules()) {
            if (!rule.dimensions().isEmpty()) {
                any |= reset(rule.name(), attributes);
            }
        }
        return any;
    }

    /**
     * Forgets what everybody has used up, of a policy that has no dimension: {@link #reset(String, Attributes)} of each
     * rule.
     *
     * @return whether a count was stored for any of these rules
     * @throws IllegalArgumentException when the policy has a dimension; nothing is forgotten
     * @throws LimiterException when the store can't be asked
     */
    default boolean reset() {
        List<Rule> rules = policy().rules();
        rules.forEach(Attributes.none()::idsOf);
        boolean any = false;
        for (Rule rule : rules) {
            any |= reset(rule.name(), Attributes.none());
        }
        return any;
    }
}

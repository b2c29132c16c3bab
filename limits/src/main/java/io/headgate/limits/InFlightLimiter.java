package io.headgate.limits;

import java.time.Duration;
import java.util.List;

/**
 * One in-flight policy, ready to be asked: at most so many at once. Safe for use by any number of threads, virtual ones too.
 *
 * <p>Unlike a {@link Limiter}, which charges what then wears off, it hands out {@linkplain Hold holds} that are given back.
 * These calls wait for the answer, never longer than the engine's time-out; only {@code acquire} waits for a place, too.
 * {@link #async()} has the same calls that don't wait. A denial is a {@link Hold}, not an exception.
 */
public interface InFlightLimiter {

    /** The policy that decides now. */
    InFlightPolicy policy();

    /**
     * Goes on with another version of the policy. What is held stays held, under the lease that it was taken with, and counts:
     * where a limit was lowered below that, everything is denied until enough was released.
     *
     * @throws IllegalArgumentException when the policy has another name, or counts a rule of the same name by other
     *     dimensions; nothing is changed
     */
    void update(InFlightPolicy policy);

    /** The same calls without waiting. */
    AsyncInFlightLimiter async();

    /**
     * Takes permits of every rule when all of them have enough.
     *
     * @param attributes what is known of the request; must have every dimension of the policy's rules
     * @param permits 1 to 100; more than a rule has are denied
     * @return the hold, which must be released; or a denied one
     * @throws IllegalArgumentException when a dimension is missing or {@code permits} out of range; nothing is taken
     * @throws LimiterException when the store can't be asked; where a place {@linkplain LimiterException#mayBeCharged() may
     *     be taken} all the same, it is given back in the background, and is free again after the lease at the latest; also when
     *     this engine has as many holds as it keeps: a million on Redis; in memory what fits in an eighth of the heap, and at most
     *     a million
     */
    Hold tryAcquire(Attributes attributes, long permits);

    /** {@link #tryAcquire(Attributes, long)} for one permit. */
    default Hold tryAcquire(Attributes attributes) {
        return tryAcquire(attributes, 1);
    }

    /**
     * {@link #tryAcquire(Attributes, long)} of a policy that has a single dimension, by the id in it.
     *
     * @throws IllegalArgumentException when the policy has none or several
     */
    default Hold tryAcquire(String id, long permits) {
        return tryAcquire(policy().attributesOf(id), permits);
    }

    /** {@link #tryAcquire(String, long)} for one permit. */
    default Hold tryAcquire(String id) {
        return tryAcquire(id, 1);
    }

    /** {@link #tryAcquire(Attributes)} of a policy that has no dimension: all its rules are global. */
    default Hold tryAcquire() {
        return tryAcquire(Attributes.none());
    }

    /**
     * Waits for a place. Those who wait in this engine for the same ids are served in the order in which they came, and only the
     * first of them asks: when somebody in this process gives back what it waits for, when another process is heard to, when the
     * first lease ends, and at least once a second. Between processes, and between other ids, whoever asks first is first.
     *
     * @param permits 1 to 100
     * @param maxWait how long to wait at most: 0 to 366 days; an answer that is under way may take the engine's time-out longer
     * @return the hold; or a denied one when no place could be had in time, that of another one who was served first when it
     *     never was this one's turn
     * @throws InterruptedException when the thread is interrupted; nothing stays taken
     * @throws IllegalArgumentException as {@link #tryAcquire(Attributes, long)}
     * @throws LimiterException as {@link #tryAcquire(Attributes, long)}, which ends the wait
     */
    Hold acquire(Attributes attributes, long permits, Duration maxWait) throws InterruptedException;

    /** {@link #acquire(Attributes, long, Duration)} for one permit. */
    default Hold acquire(Attributes attributes, Duration maxWait) throws InterruptedException {
        return acquire(attributes, 1, maxWait);
    }

    /** {@link #acquire(Attributes, long, Duration)} of a policy that has a single dimension, by the id in it. */
    default Hold acquire(String id, long permits, Duration maxWait) throws InterruptedException {
        return acquire(policy().attributesOf(id), permits, maxWait);
    }

    /** {@link #acquire(String, long, Duration)} for one permit. */
    default Hold acquire(String id, Duration maxWait) throws InterruptedException {
        return acquire(id, 1, maxWait);
    }

    /** {@link #acquire(Attributes, Duration)} of a policy that has no dimension. */
    default Hold acquire(Duration maxWait) throws InterruptedException {
        return acquire(Attributes.none(), maxWait);
    }

    /**
     * How many are held now; takes nothing.
     *
     * @throws IllegalArgumentException when a dimension is missing
     * @throws LimiterException when the store can't be asked
     */
    InFlight peek(Attributes attributes);

    /** {@link #peek(Attributes)} of a policy that has a single dimension, by the id in it. */
    default InFlight peek(String id) {
        return peek(policy().attributesOf(id));
    }

    /** {@link #peek(Attributes)} of a policy that has no dimension. */
    default InFlight peek() {
        return peek(Attributes.none());
    }

    /**
     * Takes back everything that is held of one rule for these attributes, by whomever. The holders learn of it with the next
     * renewal: their holds are lost, also those under other rules besides.
     *
     * @param rule the name of a rule of the policy
     * @return whether anything was stored there
     * @throws IllegalArgumentException when there is no such rule or one of its dimensions is missing
     * @throws LimiterException when the store can't be asked
     */
    boolean reset(String rule, Attributes attributes);

    /**
     * {@link #reset(String, Attributes)} of each rule that counts by the single dimension of a policy. Rules without dimensions
     * keep their holds until the holders learn of it.
     *
     * @param id a user, an address: what {@link #tryAcquire(String)} takes; not the name of a rule
     * @return whether anything was stored for any of these rules
     * @throws IllegalArgumentException when the policy has no dimension or several
     */
    default boolean reset(String id) {
        Attributes attributes = policy().attributesOf(id);
        boolean any = false;
        for (InFlightRule rule : policy().rules()) {
            if (!rule.dimensions().isEmpty()) {
                any |= reset(rule.name(), attributes);
            }
        }
        return any;
    }

    /**
     * {@link #reset(String, Attributes)} of each rule of a policy that has no dimension.
     *
     * @throws IllegalArgumentException when the policy has one; nothing is taken back
     */
    default boolean reset() {
        List<InFlightRule> rules = policy().rules();
        rules.forEach(Attributes.none()::idsOf);
        boolean any = false;
        for (InFlightRule rule : rules) {
            any |= reset(rule.name(), Attributes.none());
        }
        return any;
    }
}

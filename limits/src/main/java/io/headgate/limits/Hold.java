package io.headgate.limits;

import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * A place that was taken under an in-flight limit, to be given back; or the denial of one. Safe for use by any number of
 * threads, and by others than took it.
 *
 * <pre>{@code
 * try (Hold hold = exports.tryAcquire("user-7")) {
 *     if (hold.denied()) {
 *         return busy();
 *     }
 *     run();
 * }
 * }</pre>
 *
 * <p>While it is held, its engine renews its lease in the background. It is lost when that was not possible for as long as
 * the lease: the process was paused, or Redis could not be reached, or has lost its data; also when the place was {@linkplain
 * InFlightLimiter#reset reset}, and when it was held for longer than the policy's {@code atMost}. Then the place may be somebody
 * else's, which to release this one never changes.
 */
public interface Hold extends AutoCloseable {

    /** Whether a place was taken. It stays true when it is released or lost. */
    boolean allowed();

    /** Whether no place was taken. Then there is nothing to release, and to do so does nothing. */
    default boolean denied() {
        return !allowed();
    }

    /**
     * What others renew and release it with, where it was taken {@linkplain AsyncInFlightLimiter#tickets() by ticket}; none where
     * its engine renews it, and of a denied one.
     */
    default Optional<HoldTicket> ticket() {
        return Optional.empty();
    }

    /** What was held when this was decided: what this holds included. */
    InFlight inFlight();

    /** The first rule that denied it; none when a place was taken. */
    Optional<InFlightRule> deniedBy();

    /**
     * Whether its lease was lost before it was released, as far as this process knows. By its own clock it knows at the latest
     * when the lease has passed since it was last renewed, so a process that was paused finds it here at once. It stays true.
     */
    boolean isLost();

    /**
     * Has something done when it is lost, such as stopping the work; at once when it is lost already, and never when it is
     * released before. Called on a thread that must not be blocked.
     */
    void onLost(Runnable what);

    /**
     * Gives the place back, and waits for the answer, no longer than the engine's time-out. To do so again answers the same.
     *
     * @return whether it was held until now; false when it was lost or there was none
     * @throws LimiterException when the store can't be asked. It is tried again in the background; the lease, which is no longer
     *     renewed, ends at the latest
     */
    boolean release();

    /** {@link #release()} without waiting. */
    CompletionStage<Boolean> releaseAsync();

    /** Gives the place back without waiting for an answer. Throws nothing; what fails is tried again until the lease ends. */
    @Override
    void close();
}

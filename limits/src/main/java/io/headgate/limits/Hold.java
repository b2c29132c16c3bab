package io.headgate.limits;

import io.headgate.limits.bans.BanEntry;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * The result of a request to an in-flight limiter: held permits, or a denial. Release the hold when the work has ended. Any number of
 * threads may use it, not only the thread that acquired it.
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
 * <p>The engine renews the lease of a hold in the background, unless the hold has a {@linkplain #ticket() ticket}. A hold is lost if its
 * lease expires: because the process was suspended for that long, or because Redis was unavailable for that long and the {@link Fallback}
 * is {@code closed} or {@code none}. A hold is also lost if Redis has lost its data, after a {@linkplain InFlightLimiter#reset reset}, and
 * when the policy's {@code atMost} has passed. After a loss, another request may hold the permits. Releasing the lost hold does not affect
 * that request.
 */
public interface Hold extends AutoCloseable {

    /** Returns whether permits were acquired. Stays true after the hold is released or lost. */
    boolean allowed();

    /** Returns whether the request was denied. Releasing a denied hold does nothing. */
    default boolean denied() {
        return !allowed();
    }

    /**
     * Returns the ticket by which other processes renew and release the hold, if it was acquired {@linkplain
     * AsyncInFlightLimiter#tickets() by ticket}. Empty for a denial, and for a hold that the engine renews.
     */
    default Optional<HoldTicket> ticket() {
        return Optional.empty();
    }

    /** Returns the permits in flight when the request was decided, including those of this hold if it was granted. */
    InFlight inFlight();

    /**
     * Returns the rule that denied the request, the first one in the order of the policy; empty if it was allowed, or denied by a {@link
     * #ban}.
     */
    Optional<InFlightRule> deniedBy();

    /** Returns the ban of an operator that denied the request; empty if none did. */
    default Optional<BanEntry> ban() {
        return Optional.empty();
    }

    /**
     * Returns whether the hold was lost before its release, as far as this process knows. The process compares the last renewal with
     * its own clock. So after a suspension, it notices an expired lease immediately. Once true, the result stays true. Always false for
     * a hold with a ticket, whose loss only {@link HoldTickets#renew} reports.
     */
    boolean isLost();

    /**
     * Adds a callback that runs when the hold is lost, for example to stop the work. It runs immediately if the hold is already lost,
     * and never if the hold is denied, is released first, or has a ticket. It must not block. A second call adds a further callback.
     */
    void onLost(Runnable what);

    /**
     * Releases the hold, and waits up to the engine's timeout for the reply. A second call returns the same result. For a hold with a
     * ticket, it calls the store again, and usually returns false.
     *
     * @return true if the permits were held until now; false if the hold was lost or denied
     * @throws LimiterException if the store fails or does not reply in time, or the thread is interrupted. The lease is no longer renewed,
     *     and the release is retried in the background until the lease ends; for a hold with a ticket, for an hour
     * @throws IllegalStateException if the hold has a ticket and the engine is closed
     */
    boolean release();

    /** Releases the hold without blocking; the stage completes with the result of {@link #release()}. */
    CompletionStage<Boolean> releaseAsync();

    /**
     * Releases the hold without waiting for a reply. Throws nothing. A failed release is retried in the background as after {@link
     * #release()}.
     */
    @Override
    void close();
}

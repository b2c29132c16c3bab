package io.headgate.queues.worker;

import io.headgate.queues.QueueException;
import io.headgate.queues.Settled;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The result of one poll. Settlements are identified by their index in {@link PollRequest#settlements()}.
 *
 * @param claimed the jobs that were claimed
 * @param moreInMicros the time after which more jobs may be due, in microseconds, as far as the source knows: 0 or more, where 0
 *     means that they may be due now
 * @param settled the results of the settlements, one for each
 * @param unconfirmed the settlements that were not confirmed as the {@link io.headgate.queues.Durability} requires, with the reason
 * @param failure the failure of a part of the poll; the rest of the result is valid
 * @param unsettled the settlements that were not processed; the worker sends them again, and ignores their results in {@code settled}
 * @param failedShards the shards that failed to settle or to claim
 * @param <T> the type of the payload
 */
public record PollResult<T>(
        List<ClaimedJob<T>> claimed,
        long moreInMicros,
        List<Settled> settled,
        Map<Integer, QueueException> unconfirmed,
        Optional<QueueException> failure,
        Set<Integer> unsettled,
        Set<Integer> failedShards) {

    /** Checks that {@code moreInMicros} is 0 or more. */
    public PollResult {
        if (moreInMicros < 0) {
            throw new IllegalArgumentException("moreInMicros must be 0 or more, was " + moreInMicros);
        }
    }

    /** Creates the result of a poll that processed and confirmed every settlement. */
    public PollResult(List<ClaimedJob<T>> claimed, long moreInMicros, List<Settled> settled) {
        this(claimed, moreInMicros, settled, Optional.empty());
    }

    /**
     * Creates the result of a poll that processed every settlement.
     *
     * @param unconfirmed why none of the settlements was confirmed as the durability requires; empty if all of them were
     */
    public PollResult(
            List<ClaimedJob<T>> claimed,
            long moreInMicros,
            List<Settled> settled,
            Optional<QueueException> unconfirmed) {
        this(claimed, moreInMicros, settled, ofAll(settled, unconfirmed), Optional.empty(), Set.of(), Set.of());
    }

    /**
     * Returns the result of a poll that claimed nothing and had nothing to settle. It reports that more jobs may be due now; {@link
     * #withMoreInMicros} changes that.
     */
    public static <T> PollResult<T> empty() {
        return new PollResult<>(List.of(), 0, List.of());
    }

    private static Map<Integer, QueueException> ofAll(List<Settled> settled, Optional<QueueException> unconfirmed) {
        return unconfirmed.isEmpty()
                ? Map.of()
                : IntStream.range(0, settled.size()).boxed().collect(Collectors.toMap(i -> i, i -> unconfirmed.get()));
    }

    /**
     * Returns a result with the same settlements, but with these claimed jobs.
     *
     * @param claimFailure the failure of the claim; ignored if this result already has a failure
     */
    public <O> PollResult<O> withClaim(
            List<ClaimedJob<O>> claimedInstead, long moreInMicrosInstead, Optional<QueueException> claimFailure) {
        return new PollResult<>(
                claimedInstead,
                moreInMicrosInstead,
                settled,
                unconfirmed,
                failure.or(() -> claimFailure),
                unsettled,
                failedShards);
    }

    /**
     * Returns the same result with another time until the next poll. The worker polls again after this time, at a signal, or after one
     * second, whichever comes first.
     *
     * @param micros 0 or more, in microseconds
     * @throws IllegalArgumentException if the time is negative
     */
    public PollResult<T> withMoreInMicros(long micros) {
        return withClaim(claimed, micros, Optional.empty());
    }

    /** Returns the failure; if there is none, the reason of an unconfirmed settlement. */
    public Optional<QueueException> firstProblem() {
        return failure.or(() -> unconfirmed.values().stream().findFirst());
    }
}

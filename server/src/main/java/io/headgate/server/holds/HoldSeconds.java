package io.headgate.server.holds;

import io.headgate.server.http.JsonBody;
import io.headgate.server.http.ProblemException;
import io.headgate.server.text.Quoted;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.Optional;

/** The durations in requests for holds: seconds, exact to the millisecond. */
final class HoldSeconds {

    private static final int DECIMALS = 3;

    private HoldSeconds() {}

    /**
     * The lease of a hold, if the request has one.
     *
     * @throws ProblemException with status 400 if it is out of range
     */
    static Optional<Duration> lease(JsonBody json) {
        return read(json, "leaseSeconds", 1, 3600);
    }

    /**
     * The time to wait for free permits, if the request has one. The maximum is the time that a shutdown gives requests in flight.
     *
     * @throws ProblemException with status 400 if it is out of range
     */
    static Optional<Duration> maxWait(JsonBody json) {
        return read(json, "maxWaitSeconds", 0, 10);
    }

    private static Optional<Duration> read(JsonBody json, String member, int min, int max) {
        if (!json.has(member)) {
            return Optional.empty();
        }
        BigDecimal given = json.decimal(member);
        boolean right = given.compareTo(BigDecimal.valueOf(min)) >= 0
                && given.compareTo(BigDecimal.valueOf(max)) <= 0
                && given.stripTrailingZeros().scale() <= DECIMALS;
        if (!right) {
            throw ProblemException.badRequest(member + " must be a number from " + min + " to " + max + " with at most "
                    + DECIMALS + " decimals, was " + Quoted.of(given.toString()));
        }
        return Optional.of(Duration.ofMillis(given.movePointRight(DECIMALS).longValue()));
    }
}

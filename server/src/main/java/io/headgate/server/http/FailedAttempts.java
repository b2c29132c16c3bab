package io.headgate.server.http;

import io.headgate.http.Problem;
import io.headgate.http.Seconds;
import io.headgate.limits.Decision;
import io.headgate.limits.InMemoryLimitEngine;
import io.headgate.limits.Limit;
import io.headgate.limits.Limiter;
import io.headgate.limits.PermitRequest;
import io.headgate.limits.Policy;
import io.headgate.limits.TimeSource;
import java.time.Duration;
import java.util.Map;

/**
 * Limits attempts with wrong tokens: a client that has made {@value #MAX} of them in a minute may not try any token until the oldest is a
 * minute ago. The counts are in the memory of this process, for a bounded number of clients. Thread-safe.
 */
final class FailedAttempts {

    static final int MAX = 10;

    private static final Duration WINDOW = Duration.ofMinutes(1);

    /** The clients that are counted, which take some 10 MB at most. Beyond that, those are forgotten that would be free first. */
    private static final int MAX_CLIENTS = 10_000;

    private final Limiter limiter;

    FailedAttempts() {
        this(InMemoryLimitEngine.builder().maxKeys(MAX_CLIENTS).build());
    }

    /** Counts by another clock, for tests. */
    FailedAttempts(TimeSource time) {
        this(InMemoryLimitEngine.builder().maxKeys(MAX_CLIENTS).time(time).build());
    }

    private FailedAttempts(InMemoryLimitEngine engine) {
        limiter = engine.limiter(Policy.of("operator-attempts", Limit.slidingWindow(MAX, WINDOW), "client"));
    }

    /**
     * Checks that a client may try a token. Each event loop checks and counts without a pause between, so concurrent attempts exceed the
     * limit at most by the number of event loops.
     *
     * @throws ProblemException with status 429 and {@code Retry-After} if it may not
     */
    void requireAllowed(String client) {
        Decision decision = limiter.peek(PermitRequest.of(client));
        if (!decision.allowed()) {
            long seconds = Math.max(1, Seconds.roundedUp(decision.retryAfter().orElse(WINDOW)));
            throw new ProblemException(
                    Problem.of(
                            429,
                            "your address has sent " + MAX
                                    + " wrong operator tokens in a minute; correct the token, and" + " retry after "
                                    + seconds + " seconds"),
                    Map.of("Retry-After", Long.toString(seconds)));
        }
    }

    /** Counts an attempt with a wrong token. */
    void add(String client) {
        limiter.tryAcquire(PermitRequest.of(client));
    }
}

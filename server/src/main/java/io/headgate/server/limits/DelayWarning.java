package io.headgate.server.limits;

import io.headgate.http.Seconds;
import io.headgate.limits.LeakyBucket;
import io.headgate.limits.Policy;
import io.headgate.limits.Rule;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Warns of shapers whose delay can exceed the default maximum delay of a response to a proxy, so that a request could proceed too early.
 */
public final class DelayWarning {

    private DelayWarning() {}

    /** One line for each such rule. */
    public static List<String> of(Policy policy) {
        return policy.rules().stream()
                .flatMap(rule -> longestWait(rule).stream()
                        .filter(wait -> wait.compareTo(DelayedResponse.DEFAULT_MAX_DELAY) > 0)
                        .map(wait -> "policy " + policy.name() + ": " + rule.name() + ": " + warning(wait)))
                .toList();
    }

    private static String warning(Duration wait) {
        String waits = "a request may have to wait for " + seconds(wait) + " s; a response to a proxy is delayed for ";
        // The milliseconds of hold are rounded up.
        return wait.compareTo(DelayedResponse.LONGEST) <= 0
                ? waits + seconds(DelayedResponse.DEFAULT_MAX_DELAY) + " s by default; let the proxy send hold="
                        + wait.plusMillis(1).minusNanos(1).toMillis()
                        + "ms, and give it a longer timeout than that"
                : waits + seconds(DelayedResponse.LONGEST)
                        + " s at most; a request with a longer wait proceeds early, unless the caller waits for the rest in Headgate-Delay";
    }

    /** The delay of a request for one permit that is the last in the queue of a shaper. */
    private static Optional<Duration> longestWait(Rule rule) {
        if (rule.shadow()
                || !(rule.limit() instanceof LeakyBucket bucket)
                || bucket.mode() != LeakyBucket.Mode.SHAPER
                || bucket.capacity() == 0) {
            return Optional.empty();
        }
        long micros = BigDecimal.valueOf(bucket.capacity() - 1)
                .multiply(BigDecimal.valueOf(micros(bucket.leakPeriod())))
                .divide(BigDecimal.valueOf(bucket.leakPermits()), 0, RoundingMode.UP)
                .longValueExact();
        return Optional.of(Duration.ofNanos(Math.multiplyExact(micros, 1000L)));
    }

    private static long micros(Duration duration) {
        return duration.toNanos() / 1000;
    }

    private static String seconds(Duration duration) {
        return Seconds.exact(duration).toPlainString();
    }
}

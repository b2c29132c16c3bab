package io.headgate.server.limits;

import com.linecorp.armeria.common.HttpResponse;
import io.headgate.limits.LeakyBucket;
import io.headgate.limits.Policy;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Delays the responses of shapers until the requests may proceed, for clients that cannot wait themselves. No thread waits, and a client
 * that disconnects leaves nothing behind.
 */
final class DelayedResponse {

    /** The default of the maximum delay, which is less than the timeouts of the proxies in our examples. */
    static final Duration DEFAULT_HOLD = Duration.ofSeconds(1);

    /** The largest maximum delay. */
    static final Duration LONGEST = Duration.ofSeconds(4);

    private DelayedResponse() {}

    /** Returns whether the policy may admit a request with a delay: one of its rules is a shaper. */
    static boolean mayDelay(Policy policy) {
        return policy.rules().stream()
                .anyMatch(
                        rule -> rule.limit() instanceof LeakyBucket bucket && bucket.mode() == LeakyBucket.Mode.SHAPER);
    }

    /** The response, sent after that delay. */
    static HttpResponse back(Supplier<HttpResponse> answer, Duration time, ScheduledExecutorService timers) {
        CompletableFuture<HttpResponse> turn = new CompletableFuture<>();
        ScheduledFuture<?> timer =
                timers.schedule(() -> turn.complete(answer.get()), time.toNanos(), TimeUnit.NANOSECONDS);
        HttpResponse held = HttpResponse.of(turn);
        held.whenComplete().whenComplete((sent, gone) -> timer.cancel(false));
        return held;
    }
}

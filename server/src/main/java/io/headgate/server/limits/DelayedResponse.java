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
 * Delays the response to a request that a shaper admits later, for clients that cannot wait themselves. No thread waits. If the client
 * disconnects, its timer is cancelled.
 */
final class DelayedResponse {

    /** The default maximum delay. It is less than the timeouts of the proxies in the examples. */
    static final Duration DEFAULT_MAX_DELAY = Duration.ofSeconds(1);

    /** The largest maximum delay that a proxy can set. */
    static final Duration LONGEST = Duration.ofSeconds(4);

    private DelayedResponse() {}

    /** Returns whether the policy may admit a request with a delay: one of its rules is a shaper. */
    static boolean mayDelay(Policy policy) {
        return policy.rules().stream()
                .anyMatch(
                        rule -> rule.limit() instanceof LeakyBucket bucket && bucket.mode() == LeakyBucket.Mode.SHAPER);
    }

    /** The response, sent after the delay. */
    static HttpResponse after(Duration delay, Supplier<HttpResponse> response, ScheduledExecutorService timers) {
        CompletableFuture<HttpResponse> due = new CompletableFuture<>();
        ScheduledFuture<?> timer =
                timers.schedule(() -> due.complete(response.get()), delay.toNanos(), TimeUnit.NANOSECONDS);
        HttpResponse delayed = HttpResponse.of(due);
        delayed.whenComplete().whenComplete((sent, failure) -> timer.cancel(false));
        return delayed;
    }
}

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
 * Holds answers back until it is the turn of the requests that they let pass, for those who can't wait by themselves. No
 * thread waits, and when whoever asked goes away nothing is left of it.
 */
final class HeldAnswer {

    /** How long at most, by default: less than the proxies of our examples wait for an answer. */
    static final Duration DEFAULT_HOLD = Duration.ofSeconds(1);

    /** How long at most, whatever is told. */
    static final Duration LONGEST = Duration.ofSeconds(4);

    private HeldAnswer() {}

    /** Whether the policy may admit a request that is to wait: one of its rules is a shaper. */
    static boolean mayDelay(Policy policy) {
        return policy.rules().stream()
                .anyMatch(
                        rule -> rule.limit() instanceof LeakyBucket bucket && bucket.mode() == LeakyBucket.Mode.SHAPER);
    }

    /** The answer, sent after that time. */
    static HttpResponse back(Supplier<HttpResponse> answer, Duration time, ScheduledExecutorService timers) {
        CompletableFuture<HttpResponse> turn = new CompletableFuture<>();
        ScheduledFuture<?> timer =
                timers.schedule(() -> turn.complete(answer.get()), time.toNanos(), TimeUnit.NANOSECONDS);
        HttpResponse held = HttpResponse.of(turn);
        held.whenComplete().whenComplete((sent, gone) -> timer.cancel(false));
        return held;
    }
}

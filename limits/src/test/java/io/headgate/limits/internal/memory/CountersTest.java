package io.headgate.limits.internal.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Limit;
import io.headgate.limits.Limiter;
import io.headgate.limits.PermitRequest;
import io.headgate.limits.Policy;
import io.headgate.limits.RuleDecision;
import io.headgate.limits.internal.LimitListeners;
import io.headgate.limits.internal.algorithm.Counter;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What happens to a counter that leaves the engine between being found and being locked. */
@Timeout(60)
class CountersTest {

    private final Counters counters = new Counters(1024);

    @Test
    void a_request_that_waits_for_a_counter_that_leaves_is_charged_to_the_next_one() throws Exception {
        Policy policy = policyOf("only");
        Limiter limiter = limiter(policy);
        limiter.tryAcquire(PermitRequest.of("victim").withPermits(3));
        Counter victim = counter(policy, "only");

        assertThat(victim.lock()).isTrue();
        FutureTask<Decision> request = new FutureTask<>(() -> limiter.tryAcquire("victim"));
        startAndAwaitSleep(request);
        counters.removeLocked(RuleId.of(policy, policy.rule("only")), "victim", victim);

        assertThat(request.get(10, TimeUnit.SECONDS).remaining()).isEqualTo(9);
        assertThat(limiter.peek("victim").remaining()).isEqualTo(9);
        assertThat(victim.lock()).isFalse();
    }

    @Test
    void a_request_to_two_rules_of_which_one_counter_leaves_is_charged_once_to_the_other() throws Exception {
        Policy policy = policyOf("second", "first");
        Limiter limiter = limiter(policy);
        limiter.tryAcquire(PermitRequest.of("victim").withPermits(3));
        Counter victim = counter(policy, "second");

        assertThat(victim.lock()).isTrue();
        FutureTask<Decision> request = new FutureTask<>(() -> limiter.tryAcquire("victim"));
        startAndAwaitSleep(request);
        counters.removeLocked(RuleId.of(policy, policy.rule("second")), "victim", victim);

        assertThat(request.get(10, TimeUnit.SECONDS).rules())
                .extracting(RuleDecision::remaining)
                .containsExactly(9L, 6L);
        assertThat(limiter.peek("victim").rules())
                .extracting(RuleDecision::remaining)
                .containsExactly(9L, 6L);
    }

    @Test
    void a_counter_stays_until_what_is_charged_to_it_is_charged() throws Exception {
        Policy policy = policyOf("only");
        Limiter limiter = limiter(policy);
        limiter.tryAcquire("victim");
        Counter victim = counter(policy, "only");

        assertThat(victim.lock()).isTrue();
        FutureTask<Boolean> reset = new FutureTask<>(() -> limiter.reset("victim"));
        startAndAwaitSleep(reset);
        assertThat(counters.size()).isEqualTo(1);
        victim.unlock();

        assertThat(reset.get(10, TimeUnit.SECONDS)).isTrue();
        assertThat(counters.size()).isZero();
    }

    @Test
    void a_thread_that_was_interrupted_waits_too() throws Exception {
        Policy policy = policyOf("only");
        Limiter limiter = limiter(policy);
        limiter.tryAcquire("victim");
        Counter victim = counter(policy, "only");

        assertThat(victim.lock()).isTrue();
        FutureTask<Decision> request = new FutureTask<>(() -> limiter.tryAcquire("victim"));
        Thread thread = startAndAwaitSleep(request);
        thread.interrupt();
        victim.unlock();

        assertThat(request.get(10, TimeUnit.SECONDS).remaining()).isEqualTo(8);
    }

    private static Thread startAndAwaitSleep(FutureTask<?> task) {
        Thread thread = new Thread(task, "asks for a lock");
        thread.start();
        while (thread.getState() != Thread.State.TIMED_WAITING && thread.isAlive()) {
            Thread.onSpinWait();
        }
        return thread;
    }

    private Counter counter(Policy policy, String rule) {
        Map<String, Counter> ofRule = counters.ofRule(RuleId.of(policy, policy.rule(rule)));
        return Objects.requireNonNull(Objects.requireNonNull(ofRule).get("victim"));
    }

    private Limiter limiter(Policy policy) {
        return new InMemoryLimiter(
                policy,
                counters,
                new DecidedRequests(1, Duration.ofMinutes(1)),
                () -> 1_800_000_000_000_000L,
                new LimitListeners(List.of()));
    }

    private static Policy policyOf(String... rules) {
        Policy.Builder policy = Policy.named("p");
        for (String rule : rules) {
            policy.rule(rule, Limit.slidingWindow(10, Duration.ofMinutes(1)), Attributes.KEY);
        }
        return policy.build();
    }
}

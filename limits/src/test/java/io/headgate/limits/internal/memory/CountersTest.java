package io.headgate.limits.internal.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Limit;
import io.headgate.limits.Limiter;
import io.headgate.limits.PermitRequest;
import io.headgate.limits.Policy;
import io.headgate.limits.RuleDecision;
import io.headgate.limits.TimeSource;
import io.headgate.limits.internal.LimitListeners;
import io.headgate.limits.internal.Pauses;
import io.headgate.limits.internal.algorithm.Counter;
import io.headgate.limits.internal.bans.BanIndex;
import io.headgate.limits.internal.bans.UncountedDecisions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests counters that are evicted after a thread has found them and before it locks them, and threads that wait for a lock. */
@Timeout(180)
class CountersTest {

    private final Counters counters = new Counters(1024);

    @Test
    void a_request_that_waits_for_an_evicted_counter_is_charged_to_a_new_one() throws Exception {
        Policy policy = policyOf("only");
        Limiter limiter = limiter(policy);
        limiter.tryAcquire(PermitRequest.of("victim").withPermits(3));
        Counter victim = counter(policy, "only");

        assertThat(victim.lock()).isTrue();
        FutureTask<Decision> request = new FutureTask<>(() -> limiter.tryAcquire("victim"));
        startAndAwaitSleep(request);
        counters.removeLocked(RuleId.of(policy, policy.rule("only")), "victim", victim);

        assertThat(request.get(60, TimeUnit.SECONDS).remaining()).isEqualTo(9);
        assertThat(limiter.peek("victim").remaining()).isEqualTo(9);
        assertThat(victim.lock()).isFalse();
    }

    @Test
    void if_one_of_two_counters_is_evicted_the_other_is_charged_once() throws Exception {
        Policy policy = policyOf("second", "first");
        Limiter limiter = limiter(policy);
        limiter.tryAcquire(PermitRequest.of("victim").withPermits(3));
        Counter victim = counter(policy, "second");

        assertThat(victim.lock()).isTrue();
        FutureTask<Decision> request = new FutureTask<>(() -> limiter.tryAcquire("victim"));
        startAndAwaitSleep(request);
        counters.removeLocked(RuleId.of(policy, policy.rule("second")), "victim", victim);

        assertThat(request.get(60, TimeUnit.SECONDS).rules())
                .extracting(RuleDecision::remaining)
                .containsExactly(9L, 6L);
        assertThat(limiter.peek("victim").rules())
                .extracting(RuleDecision::remaining)
                .containsExactly(9L, 6L);
    }

    @Test
    void a_counter_is_not_removed_while_it_is_locked() throws Exception {
        Policy policy = policyOf("only");
        Limiter limiter = limiter(policy);
        limiter.tryAcquire("victim");
        Counter victim = counter(policy, "only");

        assertThat(victim.lock()).isTrue();
        FutureTask<Boolean> reset = new FutureTask<>(() -> limiter.reset("victim"));
        startAndAwaitSleep(reset);
        assertThat(counters.size()).isEqualTo(1);
        victim.unlock();

        assertThat(reset.get(60, TimeUnit.SECONDS)).isTrue();
        assertThat(counters.size()).isZero();
    }

    @Test
    void an_interrupted_thread_still_waits_for_the_lock() throws Exception {
        Policy policy = policyOf("only");
        Limiter limiter = limiter(policy);
        limiter.tryAcquire("victim");
        Counter victim = counter(policy, "only");

        assertThat(victim.lock()).isTrue();
        FutureTask<Decision> request = new FutureTask<>(() -> limiter.tryAcquire("victim"));
        Thread thread = startAndAwaitSleep(request);
        thread.interrupt();
        victim.unlock();

        assertThat(request.get(60, TimeUnit.SECONDS).remaining()).isEqualTo(8);
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
        TimeSource time = () -> 1_800_000_000_000_000L;
        return new InMemoryLimiter(
                policy,
                counters,
                new DecidedRequests(1, Duration.ofMinutes(1)),
                new UncountedDecisions(new BanIndex(time), new Pauses(time, id -> id), time),
                time,
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

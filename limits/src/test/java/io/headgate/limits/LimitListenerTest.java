package io.headgate.limits;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests the listeners of an engine, its health, and its list of policies. */
class LimitListenerTest {

    private static final Limit LIMIT = Limit.slidingWindow(2, Duration.ofMinutes(1));

    private final InMemoryLimitEngine limits = InMemoryLimitEngine.create();

    @AfterEach
    void close() {
        limits.close();
        limits.close();
    }

    /** Records the decisions that it receives. */
    private static final class Recorder implements LimitListener {

        private final List<String> received = new CopyOnWriteArrayList<>();

        @Override
        public void onDecision(
                Policy policy, Attributes attributes, long permits, Decision decision, long elapsedNanos) {
            received.add(policy.name() + " " + attributes.asMap().get("key") + " " + permits + " " + decision.allowed()
                    + " " + elapsedNanos);
        }
    }

    @Test
    void a_listener_is_added_and_removed_while_the_engine_runs() {
        Limiter limiter = limits.limiter("p", LIMIT);
        Recorder recorder = new Recorder();
        limiter.tryAcquire("alice");
        limits.addListener(recorder);
        limits.addListener(recorder);
        limiter.tryAcquire("bob");
        limiter.peek("bob");
        limiter.tryAcquire(PermitRequest.of("bob").withPermits(2));
        limits.removeListener(recorder);
        limiter.tryAcquire("carol");
        limits.removeListener(recorder);
        assertThat(recorder.received).hasSize(2);
        assertThat(recorder.received.get(0)).startsWith("p ").contains("bob").endsWith(" 1 true 0");
        assertThat(recorder.received.get(1)).endsWith(" 2 false 0");
    }

    @Test
    void an_exception_of_a_listener_affects_neither_the_caller_nor_other_listeners() {
        Recorder recorder = new Recorder();
        limits.addListener(new LimitListener() {
            @Override
            public void onDecision(
                    Policy policy, Attributes attributes, long permits, Decision decision, long elapsedNanos) {
                throw new StackOverflowError("a listener that fails");
            }
        });
        limits.addListener(recorder);
        assertThat(limits.limiter("p", LIMIT).tryAcquire("alice").allowed()).isTrue();
        assertThat(recorder.received).hasSize(1);
    }

    @Test
    void an_engine_lists_the_current_policies_of_its_limiters() {
        Limiter second = limits.limiter("second", LIMIT);
        Limiter first = limits.limiter("first", LIMIT);
        Limiter same = limits.limiter("first", LIMIT);
        assertThat(limits.policies()).containsExactly(first.policy(), second.policy());
        Policy updated = Policy.of("second", Limit.slidingWindow(3, Duration.ofMinutes(1)), Attributes.KEY);
        second.update(updated);
        assertThat(limits.policies()).containsExactly(same.policy(), updated);
        assertThat(limits.health()).isEqualTo(Health.HEALTHY);
    }

    @Test
    void a_limiter_without_references_is_garbage_collected() throws InterruptedException {
        Limiter kept = limits.limiter("kept", LIMIT);
        AsyncLimiter async = limits.limiter("asynchronous", LIMIT).async();
        WeakReference<Limiter> gone = new WeakReference<>(limits.limiter("gone", LIMIT));
        long deadline = System.nanoTime() + Duration.ofSeconds(20).toNanos();
        while ((gone.get() != null || limits.policies().size() > 2) && System.nanoTime() < deadline) {
            System.gc();
            Thread.onSpinWait();
        }
        assertThat(limits.policies()).containsExactly(async.policy(), kept.policy());
    }
}

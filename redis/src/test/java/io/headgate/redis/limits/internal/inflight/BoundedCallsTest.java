package io.headgate.redis.limits.internal.inflight;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.LimiterException;
import io.headgate.limits.internal.EngineState;
import io.headgate.testkit.Await;
import io.netty.util.concurrent.DefaultEventExecutorGroup;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The outcomes of calls with a reply in time, a late one, none, or a failure. */
class BoundedCallsTest {

    private static final Duration LONG = Duration.ofSeconds(30);

    private final DefaultEventExecutorGroup threads = new DefaultEventExecutorGroup(1);
    private final List<String> events = new CopyOnWriteArrayList<>();
    private final EngineState state = new EngineState(() -> "limits in this test");
    private final BoundedCalls calls = new BoundedCalls(state, new RecordedState(events), threads);
    private final CompletableFuture<String> redis = new CompletableFuture<>();

    private record RecordedState(List<String> events) implements RedisState {

        @Override
        public boolean isAvailable() {
            return true;
        }

        @Override
        public void answered() {
            events.add("answered");
        }

        @Override
        public void failed(LimiterException problem) {
            events.add(problem.problem());
        }

        @Override
        public void shareLimits() {}

        @Override
        public int instances() {
            return 1;
        }

        @Override
        public void requireSync() {}
    }

    private record Outcomes(List<String> events) implements BoundedCalls.Outcomes<String> {

        @Override
        public String onReply(String reply) {
            return "Redis replied " + reply;
        }

        @Override
        public String withoutReply(Optional<LimiterException> failure) {
            return "fallback";
        }

        @Override
        public void onLateReply(String reply, Optional<String> answered) {
            events.add(reply + " after " + answered.orElse("an exception"));
        }
    }

    @AfterEach
    void close() {
        threads.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }

    private CompletableFuture<String> call(Duration budget) {
        CompletionStage<String> answer = calls.call("hold", "key", budget, () -> redis, new Outcomes(events));
        return answer.toCompletableFuture();
    }

    private static String await(CompletableFuture<String> answer) throws Exception {
        return answer.get(LONG.toSeconds(), TimeUnit.SECONDS);
    }

    @Test
    void a_reply_in_time_is_the_answer() throws Exception {
        CompletableFuture<String> answer = call(LONG);
        redis.complete("yes");
        assertThat(await(answer)).isEqualTo("Redis replied yes");
        assertThat(events).containsExactly("answered");
    }

    @Test
    void an_overdue_call_is_answered_by_the_fallback_and_the_late_reply_is_reported() throws Exception {
        CompletableFuture<String> answer = call(Duration.ofMillis(1));
        assertThat(await(answer)).isEqualTo("fallback");
        redis.complete("yes");
        assertThat(events).containsExactly("no answer within 1 ms", "yes after fallback");
    }

    @Test
    void a_late_reply_after_the_engine_was_closed_is_reported() {
        state.close();
        CompletableFuture<String> answer = call(Duration.ofMillis(1));
        assertThat(answer).failsWithin(LONG);
        redis.complete("yes");
        assertThat(events).containsExactly("yes after an exception");
    }

    @Test
    void a_failure_is_answered_by_the_fallback_before_the_end_of_the_budget() throws Exception {
        CompletableFuture<String> answer = call(LONG);
        redis.completeExceptionally(new LimiterException("hold", "key", "gone", false, null));
        assertThat(await(answer)).isEqualTo("fallback");
        assertThat(events).containsExactly("gone");
    }

    @Test
    void an_exception_that_is_no_failure_of_redis_reaches_the_caller() {
        CompletableFuture<String> answer = call(LONG);
        redis.completeExceptionally(new IllegalStateException("the engine is closed"));
        assertThat(answer).isCompletedExceptionally();
        assertThat(events).isEmpty();
    }

    @Test
    void an_exception_while_sending_reaches_the_caller() {
        CompletionStage<String> answer = calls.call(
                "hold",
                "key",
                LONG,
                () -> {
                    throw new IllegalStateException("the engine is closed");
                },
                new Outcomes(events));
        assertThat(answer.toCompletableFuture()).isCompletedExceptionally();
    }

    @Test
    void a_caller_expires_its_call_when_all_threads_are_busy() {
        CountDownLatch busy = new CountDownLatch(1);
        threads.next().execute(() -> {
            try {
                busy.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        CompletableFuture<String> answer = call(Duration.ofMillis(1));
        Await.until("the call to be overdue", LONG, () -> {
            calls.expireOverdue();
            return answer.isDone();
        });
        assertThat(answer.join()).isEqualTo("fallback");
        busy.countDown();
    }
}

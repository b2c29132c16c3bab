package io.headgate.redis.inflight;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.LimiterException;
import io.headgate.limits.internal.EngineState;
import io.headgate.testkit.Await;
import io.netty.util.concurrent.DefaultEventExecutorGroup;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What becomes of calls that are answered in time, late, never, or with a failure. */
class TimedCallsTest {

    private static final Duration LONG = Duration.ofSeconds(30);

    private final DefaultEventExecutorGroup threads = new DefaultEventExecutorGroup(1);
    private final List<String> heard = new CopyOnWriteArrayList<>();
    private final EngineState state = new EngineState(() -> "limits in this test");
    private final TimedCalls calls = new TimedCalls(state, new Heard(heard), threads);
    private final CompletableFuture<String> redis = new CompletableFuture<>();

    private record Heard(List<String> heard) implements RedisState {

        @Override
        public boolean isAvailable() {
            return true;
        }

        @Override
        public void answered() {
            heard.add("answered");
        }

        @Override
        public void failed(LimiterException problem) {
            heard.add(problem.problem());
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

    private record Answers(List<String> heard) implements TimedCalls.Answers<String> {

        @Override
        public String inTime(String said) {
            return "Redis says " + said;
        }

        @Override
        public String instead(LimiterException problem) {
            return "instead";
        }

        @Override
        public void late(String said, String told) {
            heard.add(said + " after " + told);
        }

        @Override
        public void lateAfterFailure(String answer) {
            heard.add(answer + " after a failure");
        }
    }

    @AfterEach
    void close() {
        threads.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }

    private CompletableFuture<String> call(Duration budget) {
        CompletionStage<String> answer = calls.call("hold", "key", budget, () -> redis, new Answers(heard));
        return answer.toCompletableFuture();
    }

    private static String await(CompletableFuture<String> answer) throws Exception {
        return answer.get(LONG.toSeconds(), TimeUnit.SECONDS);
    }

    @Test
    void what_is_answered_in_time_is_told() throws Exception {
        CompletableFuture<String> answer = call(LONG);
        redis.complete("yes");
        assertThat(await(answer)).isEqualTo("Redis says yes");
        assertThat(heard).containsExactly("answered");
    }

    @Test
    void what_is_late_is_answered_without_it_and_heard_when_it_comes() throws Exception {
        CompletableFuture<String> answer = call(Duration.ofMillis(1));
        assertThat(await(answer)).isEqualTo("instead");
        redis.complete("yes");
        assertThat(heard).containsExactly("no answer within 1 ms", "yes after instead");
    }

    @Test
    void an_answer_after_the_call_failed_because_the_engine_closed_is_not_lost() {
        state.close();
        CompletableFuture<String> answer = call(Duration.ofMillis(1));
        assertThat(answer).failsWithin(LONG);
        redis.complete("yes");
        assertThat(heard).containsExactly("yes after a failure");
    }

    @Test
    void a_failure_is_answered_without_it_at_once() throws Exception {
        CompletableFuture<String> answer = call(LONG);
        redis.completeExceptionally(new LimiterException("hold", "key", "gone", false, null));
        assertThat(await(answer)).isEqualTo("instead");
        assertThat(heard).containsExactly("gone");
    }

    @Test
    void what_is_no_failure_of_redis_is_told_as_it_is() {
        CompletableFuture<String> answer = call(LONG);
        redis.completeExceptionally(new IllegalStateException("the engine is closed"));
        assertThat(answer).isCompletedExceptionally();
        assertThat(heard).isEmpty();
    }

    @Test
    void what_cannot_be_sent_is_told_as_it_is() {
        CompletionStage<String> answer = calls.call(
                "hold",
                "key",
                LONG,
                () -> {
                    throw new IllegalStateException("the engine is closed");
                },
                new Answers(heard));
        assertThat(answer.toCompletableFuture()).isCompletedExceptionally();
    }

    @Test
    void who_has_waited_long_enough_ends_it_when_all_threads_are_busy() {
        CountDownLatch busy = new CountDownLatch(1);
        threads.next().execute(() -> {
            try {
                busy.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        CompletableFuture<String> answer = call(Duration.ofMillis(1));
        Await.until("it to be late", LONG, () -> {
            calls.endLate();
            return answer.isDone();
        });
        assertThat(answer.join()).isEqualTo("instead");
        busy.countDown();
    }
}

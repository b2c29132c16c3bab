package io.headgate.redis.limits.internal.denials;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Limit;
import io.headgate.limits.LimiterException;
import io.headgate.limits.Policy;
import io.headgate.limits.TimeSource;
import io.headgate.limits.internal.Pauses;
import io.headgate.redis.internal.script.PairedReplies;
import io.headgate.redis.internal.script.RedisExecutor;
import io.headgate.redis.internal.script.ScriptCall;
import io.headgate.redis.internal.script.TrailingCommand;
import io.headgate.redis.limits.internal.planner.Keys;
import io.netty.util.concurrent.EventExecutorGroup;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Replies that arrive late or never do not revert later changes. Each test chooses when a call is answered, which no server can. */
class RedisPausesTest {

    private static final long SECOND = 1_000_000;
    private static final Policy PARTNERS = Policy.named("partners")
            .rule("calls", Limit.tokenBucket(10, 10, Duration.ofSeconds(1)), "partner")
            .pausable()
            .build();
    private static final Attributes ACME = Attributes.of("partner", "acme");

    private final Calls calls = new Calls();
    private final Pauses inForce = new Pauses(TimeSource.monotonic(), id -> id);
    private final AtomicInteger woken = new AtomicInteger();
    private final RedisPauses pauses =
            new RedisPauses(inForce, new Keys("hg"), calls, changed -> {}, woken::incrementAndGet);
    private final Pauses.Target acme = inForce.target(PARTNERS, ACME);

    /** The calls to Redis, in their order, none of which is answered by itself. */
    private static final class Calls implements RedisExecutor {

        private record Sent(ScriptCall<?> call, CompletableFuture<Object> reply) {

            void answer(String text) {
                reply.complete(call.decoder().decode(text.getBytes(StandardCharsets.US_ASCII)));
            }

            void fail() {
                reply.completeExceptionally(new LimiterException("pause", "hg:pauses", "no reply", true, null));
            }
        }

        private final List<Sent> sent = new ArrayList<>();

        @Override
        @SuppressWarnings("unchecked")
        public <T> CompletableFuture<T> execute(ScriptCall<T> call, Runnable whenEnded) {
            CompletableFuture<Object> reply = new CompletableFuture<>();
            sent.add(new Sent(call, reply));
            return (CompletableFuture<T>) reply;
        }

        /** Returns the oldest call of a script that was not returned before. */
        Sent next(String script) {
            Sent next = sent.stream()
                    .filter(one -> one.call().script().name().equals(script))
                    .findFirst()
                    .orElseThrow();
            sent.remove(next);
            return next;
        }

        List<String> scripts() {
            return sent.stream().map(one -> one.call().script().name()).toList();
        }

        @Override
        public <T, R> PairedReplies<T, R> execute(ScriptCall<T> call, TrailingCommand<R> trailing) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletableFuture<byte[]> command(String name, byte[]... arguments) {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean mayOvertake() {
            return false;
        }

        @Override
        public boolean isConnected() {
            return true;
        }

        @Override
        public EventExecutorGroup threads() {
            throw new UnsupportedOperationException();
        }

        @Override
        public int callsInFlight() {
            return sent.size();
        }

        @Override
        public boolean isCluster() {
            return false;
        }
    }

    private boolean isPaused() {
        return inForce.find(PARTNERS, ACME) != null;
    }

    private Duration remaining() {
        return Optional.ofNullable(inForce.find(PARTNERS, ACME))
                .flatMap(Decision::retryAfter)
                .orElse(Duration.ZERO);
    }

    @Test
    void a_pause_that_redis_has_not_confirmed_survives_a_read_and_is_written_again() {
        CompletableFuture<Long> pause = pauses.pause(acme, 10 * SECOND);
        calls.next("pause").fail();
        assertThat(pause).isCompletedWithValueMatching(rest -> rest > 9 * SECOND);
        pauses.poll();
        assertThat(calls.scripts()).containsExactly("pause", "pauses");
        calls.next("pauses").answer("1");
        assertThat(isPaused()).isTrue();
        calls.next("pause").answer(Long.toString(9 * SECOND));
        pauses.poll();
        assertThat(calls.scripts()).containsExactly("pauses");
        calls.next("pauses").answer("2");
        assertThat(isPaused()).isFalse();
    }

    @Test
    void a_poll_does_not_write_a_pause_again_that_is_being_ended() {
        pauses.pause(acme, 3600 * SECOND);
        calls.next("pause").fail();
        CompletableFuture<Boolean> resumed = pauses.resume(acme);
        pauses.poll();
        assertThat(calls.scripts()).containsExactly("resume", "pauses");
        calls.next("resume").answer("0");
        assertThat(resumed).isCompletedWithValue(true);
        assertThat(isPaused()).isFalse();
        assertThat(woken).hasValue(1);
    }

    @Test
    void a_pause_whose_end_fails_is_written_by_the_next_poll() {
        pauses.pause(acme, 3600 * SECOND);
        calls.next("pause").fail();
        CompletableFuture<Boolean> resumed = pauses.resume(acme);
        calls.next("resume").fail();
        assertThat(resumed).isCompletedExceptionally();
        assertThat(isPaused()).isTrue();
        pauses.poll();
        assertThat(calls.scripts()).containsExactly("pause", "pauses");
    }

    @Test
    void a_pause_during_a_call_that_ends_an_earlier_one_stays_in_force() {
        pauses.pause(acme, SECOND);
        calls.next("pause").answer(Long.toString(SECOND));
        pauses.resume(acme);
        CompletableFuture<Long> later = pauses.pause(acme, 10 * SECOND);
        calls.next("resume").answer("1");
        assertThat(isPaused()).isTrue();
        calls.next("pause").fail();
        assertThat(later).isCompletedWithValueMatching(rest -> rest > 9 * SECOND);
        pauses.poll();
        assertThat(calls.scripts()).containsExactly("pause", "pauses");
    }

    @Test
    void the_reply_to_a_shorter_pause_does_not_confirm_a_longer_one() {
        pauses.pause(acme, 5 * SECOND);
        pauses.pause(acme, 10 * SECOND);
        calls.next("pause").answer(Long.toString(5 * SECOND));
        calls.next("pause").fail();
        pauses.poll();
        assertThat(calls.scripts()).containsExactly("pause", "pauses");
        calls.next("pauses").answer("1\n" + 4 * SECOND + " partners partner=acme");
        assertThat(remaining()).isGreaterThan(Duration.ofSeconds(8));
    }

    @Test
    void a_pause_that_another_instance_has_shortened_wakes_waiting_requests() {
        pauses.poll();
        calls.next("pauses").answer("1\n" + 3600 * SECOND + " partners partner=acme");
        assertThat(isPaused()).isTrue();
        pauses.poll();
        calls.next("pauses").answer("");
        assertThat(woken).hasValue(0);
        pauses.poll();
        calls.next("pauses").answer("2\n" + SECOND + " partners partner=acme");
        assertThat(woken).hasValue(1);
        assertThat(remaining()).isLessThan(Duration.ofSeconds(2));
    }

    @Test
    void a_poll_writes_a_bounded_number_of_pauses_and_a_failed_read_is_followed_by_others() {
        for (int i = 0; i < 100; i++) {
            pauses.pause(inForce.target(PARTNERS, Attributes.of("partner", "p" + i)), 60 * SECOND);
            calls.next("pause").fail();
        }
        pauses.poll();
        assertThat(calls.scripts()).hasSize(17);
        calls.next("pauses").fail();
        calls.sent.clear();
        pauses.poll();
        assertThat(calls.scripts()).contains("pauses");
    }
}

package io.headgate.redis.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Health;
import io.headgate.limits.Limit;
import io.headgate.limits.LimitListener;
import io.headgate.limits.Limiter;
import io.headgate.limits.LimiterException;
import io.headgate.limits.PermitRequest;
import io.headgate.limits.Policy;
import io.headgate.testkit.Await;
import io.headgate.testkit.RedisProbe;
import io.headgate.testkit.faults.FaultProxy;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How an engine on Redis starts, what it reports, and how it closes. */
@Timeout(60)
class RedisLimitEngineIT {

    @RegisterExtension
    final OwnRedis redis = new OwnRedis();

    private static final Limit LIMIT = Limit.slidingWindow(1, Duration.ofMinutes(1));
    private static final Attributes ALICE = Attributes.of(Attributes.KEY, "alice");

    private final RedisProbe probe = redis.probe;

    /** An event that a listener received: a decision or a failure. */
    private record Event(Policy policy, Attributes attributes, long permits, Object outcome) {}

    /** A listener that records the events that it receives. */
    private static final class RecordingListener implements LimitListener {

        private final BlockingQueue<Event> events = new LinkedBlockingQueue<>();

        @Override
        public void onDecision(
                Policy policy, Attributes attributes, long permits, Decision decision, long elapsedNanos) {
            assertThat(elapsedNanos).isPositive();
            events.add(new Event(policy, attributes, permits, decision));
        }

        @Override
        public void onFailure(Policy policy, Attributes attributes, long permits, LimiterException failure) {
            events.add(new Event(policy, attributes, permits, failure));
        }

        private Event next() throws InterruptedException {
            Event next = events.poll(10, TimeUnit.SECONDS);
            if (next == null) {
                throw new AssertionError("no event came");
            }
            return next;
        }
    }

    /** A listener that throws exceptions and errors. */
    private static final class ThrowingListener implements LimitListener {

        @Override
        public void onDecision(
                Policy policy, Attributes attributes, long permits, Decision decision, long elapsedNanos) {
            if (decision.allowed()) {
                throw new IllegalStateException("a mistake");
            }
            throw new StackOverflowError("another");
        }

        @Override
        public void onFailure(Policy policy, Attributes attributes, long permits, LimiterException failure) {
            throw new AssertionError("a third");
        }
    }

    @Test
    void a_listener_that_is_added_later_receives_decisions_and_zero_time_for_cached_denials() {
        List<Long> elapsed = new CopyOnWriteArrayList<>();
        LimitListener listener = new LimitListener() {
            @Override
            public void onDecision(
                    Policy policy, Attributes attributes, long permits, Decision decision, long elapsedNanos) {
                // -1 stands for a cached denial whose elapsed time is zero.
                elapsed.add(decision.basis() == Decision.Basis.CACHED_DENIAL ? -1 - elapsedNanos : elapsedNanos);
            }
        };
        try (RedisLimitEngine limits = Engines.builder(redis.url()).build()) {
            Limiter limiter = limits.limiter("p", LIMIT);
            limiter.tryAcquire("alice");
            limits.addListener(listener);
            limiter.tryAcquire("alice");
            Await.until(
                    "a cached denial",
                    Duration.ofSeconds(10),
                    () -> limiter.tryAcquire("alice").basis() == Decision.Basis.CACHED_DENIAL);
            assertThat(elapsed.get(0)).isPositive();
            assertThat(elapsed.get(elapsed.size() - 1)).isEqualTo(-1);
            limits.removeListener(listener);
            int received = elapsed.size();
            limiter.tryAcquire("alice");
            assertThat(elapsed).hasSize(received);
            assertThat(limits.policies()).containsExactly(limiter.policy());
        }
    }

    @Test
    void a_failed_connection_is_reported_with_its_address() {
        assertThatThrownBy(() -> Engines.builder("redis://127.0.0.1:1").build())
                .isInstanceOf(LimiterException.class)
                .hasMessageStartingWith("connect redis://127.0.0.1:1: ");
    }

    @Test
    void a_password_is_in_no_message() {
        assertThatThrownBy(() ->
                        Engines.builder("redis://user:secret@127.0.0.1:1/3").build())
                .isInstanceOf(LimiterException.class)
                .hasMessageContaining("redis://127.0.0.1:1/3")
                .hasMessageNotContaining("secret")
                .rootCause()
                .hasMessageNotContaining("secret");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "nonsense",
                "http://127.0.0.1:6379",
                "127.0.0.1:6379",
                "redis://",
                "redis://127.0.0.1:port",
                "redis-socket:///tmp/redis.sock"
            })
    void an_invalid_url_is_an_illegal_argument(String url) {
        assertThatThrownBy(() -> RedisLimitEngine.connect(url)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void blocking_and_async_calls_share_their_counts_and_allow_has_its_own() throws Exception {
        try (RedisLimitEngine limits = Engines.builder(redis.url()).build()) {
            Limiter limiter = limits.limiter("p", LIMIT);
            assertThat(limiter.peek("alice").allowed()).isTrue();
            assertThat(get(limiter.async().peek("alice").toCompletableFuture()).allowed())
                    .isTrue();
            assertThat(limiter.tryAcquire("alice").allowed()).isTrue();
            assertThat(get(limiter.async().tryAcquire("alice").toCompletableFuture())
                            .denied())
                    .isTrue();
            assertThat(get(limiter.async().resetRule("limit", ALICE).toCompletableFuture()))
                    .isTrue();
            assertThat(limiter.resetRule("limit", ALICE)).isFalse();
            limiter.tryAcquire("alice");
            assertThat(limiter.reset("alice")).isTrue();
            assertThat(get(limiter.async().reset("alice").toCompletableFuture()))
                    .isFalse();
            assertThat(limits.allow("bob", "login", 1, Duration.ofMinutes(1))).isTrue();
            assertThat(limits.allow("bob", "login", 1, Duration.ofMinutes(1))).isFalse();
            assertThat(probe.command("EXISTS", "hg:sw:limits.allow:limit:login,bob"))
                    .isEqualTo(1L);
        }
    }

    @Test
    void a_listener_receives_allowed_denied_and_failed_requests_but_no_peeks() throws Exception {
        RecordingListener recorder = new RecordingListener();
        try (FaultProxy proxy = FaultProxy.before(redis.url());
                RedisLimitEngine limits = Engines.builder(
                                Engines.settings(proxy.url()).withTimeout(Duration.ofSeconds(10)))
                        .listener(recorder)
                        .build()) {
            Limiter limiter = limits.limiter("p", LIMIT);
            limiter.peek("alice");
            Decision allowed = limiter.tryAcquire("alice");
            Decision denied = limiter.tryAcquire(PermitRequest.of(ALICE).withPermits(2));
            assertThat(recorder.next()).isEqualTo(new Event(limiter.policy(), ALICE, 1, allowed));
            assertThat(recorder.next()).isEqualTo(new Event(limiter.policy(), ALICE, 2, denied));
            proxy.cutNextReplyTo("EVALSHA");
            assertThatThrownBy(() -> limiter.tryAcquire("alice")).isInstanceOf(LimiterException.class);
            assertThat(recorder.next().outcome()).isInstanceOf(LimiterException.class);
            assertThat(recorder.events).isEmpty();
        }
    }

    @Test
    void a_listener_may_be_added_and_removed_while_the_engine_runs() throws Exception {
        RecordingListener recorder = new RecordingListener();
        RedisLimitEngine limits = Engines.builder(redis.url()).build();
        Limiter limiter = limits.limiter("p", LIMIT);
        limiter.tryAcquire("alice");
        limits.addListener(recorder);
        limits.addListener(recorder);
        Decision bobs = limiter.tryAcquire("bob");
        assertThat(recorder.next().outcome()).isEqualTo(bobs);
        limits.removeListener(recorder);
        limiter.tryAcquire("carol");
        assertThat(recorder.events).isEmpty();
        assertThat(limits.health()).isEqualTo(Health.HEALTHY);
        assertThat(limits.policies()).containsExactly(limiter.policy());
        limits.close();
        limits.close();
    }

    @Test
    void a_listener_receives_timeouts_and_its_exceptions_reach_no_caller() throws Exception {
        RecordingListener recorder = new RecordingListener();
        try (FaultProxy proxy = FaultProxy.before(redis.url());
                RedisLimitEngine limits = Engines.builder(
                                Engines.settings(proxy.url()).withTimeout(Duration.ofSeconds(1)))
                        .listener(new ThrowingListener())
                        .listener(recorder)
                        .build()) {
            Limiter limiter = limits.limiter("p", LIMIT);
            assertThat(limiter.tryAcquire("alice").allowed()).isTrue();
            assertThat(recorder.next().outcome()).isInstanceOf(Decision.class);
            proxy.holdReplies();
            assertThatThrownBy(() -> limiter.tryAcquire("alice"))
                    .isInstanceOf(LimiterException.class)
                    .hasMessageContaining("no answer within 1000 ms");
            assertThat(recorder.next().outcome())
                    .isInstanceOfSatisfying(LimiterException.class, failure -> assertThat(failure)
                            .hasMessageContaining("no answer within 1000 ms"));
            proxy.resume();
            Await.until("replies to come", Duration.ofSeconds(10), () -> limits.callsInFlight() == 0);
            assertThat(limiter.tryAcquire("alice").denied()).isTrue();
        }
    }

    @Test
    void closing_ends_calls_in_flight_and_rejects_later_ones() throws Exception {
        try (FaultProxy proxy = FaultProxy.before(redis.url())) {
            RedisLimitEngine limits = Engines.builder(proxy.url()).build();
            Limiter limiter = limits.limiter("p", LIMIT);
            limiter.tryAcquire("alice");
            proxy.holdReplies();
            List<CompletableFuture<Decision>> calls = List.of(
                    limiter.async().tryAcquire("bob").toCompletableFuture(),
                    limiter.async().peek("bob").toCompletableFuture());
            limits.close();
            for (CompletableFuture<Decision> call : calls) {
                assertThatThrownBy(() -> get(call))
                        .isInstanceOf(ExecutionException.class)
                        .hasCauseInstanceOf(IllegalStateException.class);
            }
            assertThatThrownBy(() -> limiter.tryAcquire("alice"))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("limits on " + limits.description() + " are closed");
            limits.close();
        }
    }

    @Test
    void closing_leaves_the_client_of_the_application_open() {
        RedisClient client = RedisClient.create(redis.url());
        try {
            RedisLimitEngine limits = Engines.builder(Engines.settings(client)).build();
            assertThat(limits.limiter("p", LIMIT).tryAcquire("alice").allowed()).isTrue();
            limits.close();
            try (StatefulRedisConnection<String, String> connection = client.connect()) {
                assertThat(connection.sync().ping()).isEqualTo("PONG");
            }
        } finally {
            client.shutdown(0, 2, TimeUnit.SECONDS);
        }
    }

    private static <T> T get(CompletableFuture<T> call) throws Exception {
        return call.get(10, TimeUnit.SECONDS);
    }
}

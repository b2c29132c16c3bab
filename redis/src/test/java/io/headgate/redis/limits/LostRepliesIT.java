package io.headgate.redis.limits;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Limit;
import io.headgate.limits.Limiter;
import io.headgate.limits.LimiterException;
import io.headgate.limits.PermitRequest;
import io.headgate.limits.Policy;
import io.headgate.limits.RequestId;
import io.headgate.redis.RedisSettings;
import io.headgate.testkit.Await;
import io.headgate.testkit.FaultProxy;
import io.lettuce.core.RedisClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests whose replies are lost after Redis charged them: each is charged once, by whomever it is sent again. */
@Timeout(60)
class LostRepliesIT {

    @RegisterExtension
    final OwnRedis redis = new OwnRedis();

    private static final Duration LONG = Duration.ofSeconds(20);
    private static final long LIMIT = 100_000;
    private static final Policy POLICY =
            Policy.of("once", Limit.slidingWindow(LIMIT, Duration.ofHours(1)), Attributes.KEY);

    private final FaultProxy proxy = redis.proxy;
    private final RedisClient applications = RedisClient.create(proxy.url());
    private final RedisLimitEngine direct = redis.limits().build();

    @AfterEach
    void close() {
        direct.close();
        applications.shutdown(0, 2, TimeUnit.SECONDS);
    }

    @Test
    void an_id_that_is_asked_again_elsewhere_is_charged_once() {
        try (RedisLimitEngine limits = connect(false, false, LONG)) {
            Limiter limiter = warm(limits);
            proxy.holdReplies();
            List<CompletionStage<Decision>> asked = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                asked.add(limiter.async().tryAcquire(PermitRequest.of("a").withId(RequestId.of("request " + i))));
            }
            awaitCharged(201);
            proxy.cutAll();
            assertThat(Burst.awaiting(asked).failures()).hasSize(200).allMatch(LimiterException::mayBeCharged);
            for (int i = 0; i < 200; i++) {
                Decision decision =
                        direct.limiter(POLICY).tryAcquire(PermitRequest.of("a").withId(RequestId.of("request " + i)));
                assertThat(decision.remaining()).isEqualTo(LIMIT - 2 - i);
            }
            assertThat(charged()).isEqualTo(201);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void a_client_that_is_told_to_sends_them_again_and_they_are_charged_once(boolean ofTheApplication) {
        try (RedisLimitEngine limits = connect(true, ofTheApplication, LONG)) {
            Limiter limiter = warm(limits);
            proxy.holdReplies();
            List<CompletionStage<Decision>> asked = send(limiter, 200);
            awaitCharged(201);
            proxy.cutAll();
            proxy.resume();
            Burst burst = Burst.awaiting(asked);
            assertThat(burst.failures()).isEmpty();
            assertThat(burst.decisions().stream().map(Decision::remaining))
                    .doesNotHaveDuplicates()
                    .hasSize(200);
            assertThat(charged()).isEqualTo(201);
            assertThat(proxy.commandsSeen("EVALSHA")).isEqualTo(401);
        }
    }

    @Test
    void replies_that_are_cut_in_the_middle_of_traffic_fail_nothing() {
        try (RedisLimitEngine limits = connect(true, false, LONG)) {
            Limiter limiter = warm(limits);
            long admitted = 1;
            for (int round = 1; round <= 10; round++) {
                proxy.cutNextReplyTo("EVALSHA");
                Burst burst = Burst.awaiting(send(limiter, 200));
                proxy.awaitCut(LONG);
                // What came while there was no connection was not sent, and not charged.
                assertThat(burst.failures()).noneMatch(LimiterException::mayBeCharged);
                admitted += burst.admitted();
                assertThat(charged()).isEqualTo(admitted);
                Await.until("the connection to come back", LONG, () -> answered(limiter));
                admitted++;
            }
        }
    }

    @Test
    void one_that_a_request_was_cut_of_is_sent_again_too() {
        try (RedisLimitEngine limits = connect(true, false, LONG)) {
            Limiter limiter = warm(limits);
            proxy.cutNextRequestOf("EVALSHA");
            assertThat(limiter.tryAcquire("a").remaining()).isEqualTo(LIMIT - 2);
            assertThat(charged()).isEqualTo(2);
        }
    }

    @Test
    void one_whose_connection_does_not_come_back_ends_within_its_time_out() {
        try (RedisLimitEngine limits = connect(true, false, Duration.ofMillis(500))) {
            Limiter limiter = limits.limiter(POLICY);
            Await.until("a first answer", LONG, () -> answered(limiter));
            proxy.refuseConnections();
            proxy.cutNextReplyTo("EVALSHA");
            // Whoever blocks would end by itself.
            assertThat(Burst.awaiting(send(limiter, 1)).failures())
                    .singleElement()
                    .satisfies(failure -> assertThat(failure)
                            .matches(LimiterException::mayBeCharged)
                            .hasMessageContaining("no answer within 500 ms; whether it was charged is not known"));
            proxy.acceptConnections();
        }
    }

    @Test
    void one_that_is_asked_while_there_is_no_connection_is_refused_and_not_kept() {
        try (RedisLimitEngine limits = connect(true, false, Duration.ofMillis(500))) {
            Limiter limiter = limits.limiter(POLICY);
            Await.until("a first answer", LONG, () -> answered(limiter));
            proxy.refuseConnections();
            proxy.cutAll();
            Await.until("one to be refused", LONG, () -> Burst.awaiting(send(limiter, 1)).failures().stream()
                    .anyMatch(failure -> !failure.mayBeCharged()
                            && failure.problem().contains("not connected to Redis; nothing was sent")));
            proxy.acceptConnections();
        }
    }

    @Test
    void one_that_is_refused_when_it_is_sent_again_may_be_charged_all_the_same() {
        try (RedisLimitEngine limits = connect(true, false, LONG)) {
            Limiter limiter = warm(limits);
            proxy.holdReplies();
            List<CompletionStage<Decision>> asked = send(limiter, 1);
            awaitCharged(2);
            proxy.refuseConnections();
            proxy.cutAll();
            redis.probe.flushAll();
            redis.probe.command("LPUSH", "hg:sw:once:limit:a", "not ours");
            redis.probe.command("PEXPIRE", "hg:sw:once:limit:a", "60000");
            proxy.resume();
            assertThat(Burst.awaiting(asked).failures()).singleElement().satisfies(failure -> assertThat(failure)
                    .matches(LimiterException::mayBeCharged)
                    .hasMessageContaining("its reply was lost, and when it was sent again: "));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void those_that_wait_for_a_connection_end_when_the_engine_is_closed(boolean afterTheyWait) {
        RedisLimitEngine limits = connect(true, false, LONG);
        Limiter limiter = warm(limits);
        proxy.holdReplies();
        List<CompletionStage<Decision>> asked = send(limiter, 20);
        awaitCharged(21);
        proxy.refuseConnections();
        proxy.cutAll();
        if (afterTheyWait) {
            Await.until("all to be lost", LONG, () -> limits.callsInFlight() == 0);
        }
        limits.close();
        assertThat(asked).hasSize(20).allSatisfy(call -> assertThat(call)
                .failsWithin(LONG)
                .withThrowableThat()
                .havingCause()
                .isInstanceOf(IllegalStateException.class)
                .havingCause()
                .isInstanceOfSatisfying(LimiterException.class, failure -> assertThat(failure.mayBeCharged())
                        .isTrue()));
    }

    private RedisLimitEngine connect(boolean again, boolean ofTheApplication, Duration timeout) {
        RedisSettings settings = ofTheApplication ? RedisSettings.of(applications) : RedisSettings.of(proxy.url());
        return Engines.builder(settings.withTimeout(timeout))
                .retryLostReplies(again)
                .build();
    }

    /** A limiter that was asked once. */
    private static Limiter warm(RedisLimitEngine limits) {
        Limiter limiter = limits.limiter(POLICY);
        assertThat(limiter.tryAcquire("a").allowed()).isTrue();
        return limiter;
    }

    private static List<CompletionStage<Decision>> send(Limiter limiter, int calls) {
        List<CompletionStage<Decision>> sent = new ArrayList<>();
        for (int i = 0; i < calls; i++) {
            sent.add(limiter.async().tryAcquire("a"));
        }
        return sent;
    }

    private static boolean answered(Limiter limiter) {
        try {
            return limiter.tryAcquire("a").allowed();
        } catch (LimiterException e) {
            return false;
        }
    }

    private void awaitCharged(long permits) {
        Await.until(permits + " permits to be charged", LONG, () -> charged() == permits);
    }

    private long charged() {
        return LIMIT - direct.limiter(POLICY).peek("a").remaining();
    }
}

package io.headgate.redis.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.limits.AsyncLimiter;
import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Limit;
import io.headgate.limits.Limiter;
import io.headgate.limits.LimiterException;
import io.headgate.limits.PermitRequest;
import io.headgate.limits.Policy;
import io.headgate.redis.RedisSettings;
import io.headgate.testkit.Await;
import io.headgate.testkit.RedisProbe;
import io.headgate.testkit.faults.FaultProxy;
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
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Whatever breaks between a request and its reply, the request is charged once or not at all. It is sent again only after a reply that
 * shows that nothing was charged, such as that Redis lacks the script.
 */
@Timeout(60)
class AtMostOnceIT {

    @RegisterExtension
    final OwnRedis redis = new OwnRedis();

    private static final Duration LONG = Duration.ofSeconds(20);
    private static final long LIMIT = 100_000;
    private static final Policy POLICY =
            Policy.of("once", Limit.slidingWindow(LIMIT, Duration.ofHours(1)), Attributes.KEY);

    private final RedisProbe probe = redis.probe;
    private final FaultProxy proxy = redis.proxy;
    private final RedisClient applicationClient = RedisClient.create(proxy.url());
    private final RedisLimitEngine direct = redis.limits().build();

    /** Whose client the engine uses. */
    enum Client {
        OURS,
        /** With default options: it reconnects, buffers commands in between, and sends commands without a reply again. */
        THE_APPLICATIONS
    }

    @AfterEach
    void close() {
        direct.close();
        applicationClient.shutdown(0, 2, TimeUnit.SECONDS);
    }

    @ParameterizedTest
    @EnumSource
    void calls_whose_replies_are_lost_are_charged_once_and_not_sent_again(Client client) {
        try (RedisLimitEngine limits = connect(client)) {
            Limiter limiter = warm(limits);
            proxy.holdReplies();
            List<CompletionStage<Decision>> calls = send(limiter, 200);
            proxy.awaitCommands("EVALSHA", 201, LONG);
            awaitCharged(201);
            proxy.cutAll();
            proxy.resume();

            Burst burst = Burst.awaiting(calls);
            assertThat(burst.decisions()).isEmpty();
            assertThat(burst.failures()).hasSize(200).allSatisfy(failure -> assertThat(failure)
                    .hasMessageMatching("acquire hg:sw:once:limit:a: .*[cC]onnection.*")
                    .matches(LimiterException::mayBeCharged)
                    .hasMessageContaining("it may have been charged"));
            int later = recover(limiter);
            assertThat(proxy.commandsSeen("EVALSHA")).isEqualTo(201 + later);
            assertThat(charged()).isEqualTo(201 + later);
        }
    }

    @ParameterizedTest
    @EnumSource
    void calls_that_timed_out_before_the_connection_broke_are_not_sent_again(Client client) {
        try (RedisLimitEngine limits = connect(client, Duration.ofMillis(500))) {
            Limiter limiter = warm(limits);
            proxy.holdReplies();
            assertThat(Burst.awaiting(send(limiter, 50)).failures()).hasSize(50);
            // While this call waits, a sweep visits the others, which have timed out.
            assertThat(Burst.awaiting(send(limiter, 1)).failures()).hasSize(1);
            awaitCharged(52);
            proxy.cutAll();
            proxy.resume();
            int later = recover(limiter);
            assertThat(proxy.commandsSeen("EVALSHA")).isEqualTo(52 + later);
            assertThat(charged()).isEqualTo(52 + later);
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_reply_that_is_cut_under_traffic_charges_nothing_twice(Client client) {
        try (RedisLimitEngine limits = connect(client)) {
            Limiter limiter = warm(limits);
            long sent = 1;
            long admitted = 1;
            for (int round = 1; round <= 10; round++) {
                proxy.cutNextReplyTo("EVALSHA");
                Burst burst = Burst.awaiting(send(limiter, 200));
                proxy.awaitCut(LONG);
                assertThat(burst.failures()).isNotEmpty();
                int later = recover(limiter);
                sent += 200 + later;
                admitted += burst.admitted() + later;
                assertThat(proxy.commandsSeen("EVALSHA")).isLessThanOrEqualTo(sent);
                assertThat(charged()).isBetween(admitted, proxy.commandsSeen("EVALSHA"));
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void an_incomplete_reply_fails_the_call(Client client) {
        try (RedisLimitEngine limits = connect(client)) {
            Limiter limiter = warm(limits);
            proxy.cutNextReplyAfter(6);
            assertThatThrownBy(() -> limiter.tryAcquire("a")).isInstanceOf(LimiterException.class);
            int later = recover(limiter);
            assertThat(proxy.commandsSeen("EVALSHA")).isEqualTo(2 + later);
            assertThat(charged()).isEqualTo(2 + later);
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_request_that_is_cut_is_not_charged_and_not_sent_again(Client client) {
        try (RedisLimitEngine limits = connect(client)) {
            Limiter limiter = warm(limits);
            proxy.cutNextRequestOf("EVALSHA");
            assertThatThrownBy(() -> limiter.tryAcquire("a"))
                    .isInstanceOfSatisfying(LimiterException.class, failure -> assertThat(failure.mayBeCharged())
                            .isTrue())
                    .hasMessageContaining("it may have been charged");
            proxy.awaitCut(LONG);
            int later = recover(limiter);
            assertThat(proxy.commandsSeen("EVALSHA")).isEqualTo(2 + later);
            assertThat(charged()).isEqualTo(1 + later);
        }
    }

    @ParameterizedTest
    @EnumSource
    void without_a_connection_nothing_is_sent_and_nothing_is_kept_for_later(Client client) {
        try (RedisLimitEngine limits = connect(client)) {
            Limiter limiter = warm(limits);
            proxy.refuseConnections();
            proxy.cutAll();
            assertThat(Burst.awaiting(send(limiter, 50)).decisions()).isEmpty();
            Await.until("a call to be refused", LONG, () -> failsUnsent(limiter));
            Burst burst = Burst.awaiting(send(limiter, 200));
            assertThat(burst.decisions()).isEmpty();
            assertThat(burst.failures()).hasSize(200).allSatisfy(failure -> assertThat(failure)
                    .hasMessageContaining("nothing was sent")
                    .matches(problem -> !problem.mayBeCharged()));
            proxy.acceptConnections();
            int later = recover(limiter);
            assertThat(charged()).isEqualTo(1 + later);
        }
    }

    @Test
    void a_script_flush_under_traffic_loses_no_request_and_charges_none_twice() {
        try (RedisLimitEngine limits = connect(Client.OURS)) {
            Limiter limiter = warm(limits);
            List<CompletionStage<Decision>> calls = new ArrayList<>();
            for (int i = 0; i < 40; i++) {
                calls.addAll(send(limiter, 50));
                probe.command("SCRIPT", "FLUSH");
            }
            Burst burst = Burst.awaiting(calls);
            assertThat(burst.failures()).isEmpty();
            assertThat(burst.admitted()).isEqualTo(2000);
            assertThat(charged()).isEqualTo(2001);
            assertThat(proxy.commandsSeen("EVAL")).isGreaterThan(1);
            assertThat(limits.callsInFlight()).isZero();
        }
    }

    @Test
    void a_reply_that_never_arrives_fails_the_call_with_its_possible_effect() {
        try (RedisLimitEngine limits = connect(Client.OURS, Duration.ofMillis(300))) {
            Limiter limiter = limits.limiter(POLICY);
            Await.until("a first answer", LONG, () -> answered(limiter));
            proxy.holdReplies();
            String problem = "no answer within 300 ms";
            assertThatThrownBy(() -> limiter.tryAcquire("a"))
                    .isInstanceOfSatisfying(LimiterException.class, failure -> {
                        assertThat(failure.operation()).isEqualTo("acquire");
                        assertThat(failure.key()).isEqualTo("hg:sw:once:limit:a");
                    })
                    .hasMessage("acquire hg:sw:once:limit:a: " + problem
                            + "; it may have been charged; a request with an id"
                            + " can be retried without a second charge");
            assertThatThrownBy(() -> limiter.peek("a")).hasMessage("peek hg:sw:once:limit:a: " + problem);
            assertThatThrownBy(() -> limiter.refundOldest(PermitRequest.of("a")))
                    .hasMessage(
                            "refund hg:sw:once:limit:a: " + problem + "; permits may have been refunded; a decision is"
                                    + " refunded only once, so retrying its refund is safe");
            assertThatThrownBy(() -> limiter.resetRule("limit", Attributes.of(Attributes.KEY, "b")))
                    .hasMessage("reset hg:sw:once:limit:b: " + problem + "; the count may have been reset");
            Burst burst = Burst.awaiting(send(limiter, 20));
            assertThat(burst.decisions()).isEmpty();
            assertThat(burst.failures()).hasSize(20).allSatisfy(failure -> assertThat(failure)
                    .hasMessageContaining(problem));
        }
    }

    @Test
    void a_late_reply_is_not_the_result_of_another_call() {
        try (RedisLimitEngine limits = connect(Client.OURS, Duration.ofSeconds(1))) {
            AsyncLimiter limiter = limits.limiter(POLICY).async();
            Await.until("a first answer", LONG, () -> answered(limits.limiter(POLICY)));
            proxy.holdReplies();
            List<CompletionStage<Decision>> late = new ArrayList<>();
            for (int i = 1; i <= 20; i++) {
                late.add(limiter.tryAcquire(PermitRequest.of("late" + i).withPermits(1000 + i)));
            }
            assertThat(Burst.awaiting(late).failures()).hasSize(20);
            List<CompletionStage<Decision>> next = new ArrayList<>();
            for (int i = 1; i <= 20; i++) {
                next.add(limiter.tryAcquire(PermitRequest.of("next" + i).withPermits(i)));
            }
            proxy.resume();
            List<Decision> answers = Burst.awaiting(next).decisions();
            assertThat(answers).hasSize(20);
            for (int i = 1; i <= 20; i++) {
                assertThat(answers.get(i - 1).remaining()).isEqualTo(LIMIT - i);
                assertThat(direct.limiter(POLICY).peek("late" + i).remaining()).isEqualTo(LIMIT - 1000 - i);
            }
        }
    }

    private RedisLimitEngine connect(Client client) {
        return connect(client, Duration.ofSeconds(30));
    }

    private RedisLimitEngine connect(Client client, Duration timeout) {
        // Without batching each request is a command, which can be counted. CoalescerIT tests batches.
        RedisSettings settings =
                client == Client.OURS ? RedisSettings.of(proxy.url()) : RedisSettings.of(applicationClient);
        return Engines.builder(settings.withTimeout(timeout)).batching(false).build();
    }

    /** A limiter that was used once, so that Redis has its script. */
    private Limiter warm(RedisLimitEngine limits) {
        assertThat(charged()).isZero();
        direct.limiter(POLICY).tryAcquire("other");
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

    /** Repeats a request until it succeeds, then sends two more; returns the number of successful requests. */
    private static int recover(Limiter limiter) {
        Await.until("the connection to come back", LONG, () -> answered(limiter));
        assertThat(limiter.tryAcquire("a").allowed()).isTrue();
        assertThat(limiter.tryAcquire("a").allowed()).isTrue();
        return 3;
    }

    private static boolean answered(Limiter limiter) {
        try {
            return limiter.tryAcquire("a").allowed();
        } catch (LimiterException e) {
            return false;
        }
    }

    private static boolean failsUnsent(Limiter limiter) {
        try {
            limiter.tryAcquire("a");
            return false;
        } catch (LimiterException e) {
            return String.valueOf(e.getMessage()).contains("nothing was sent");
        }
    }

    private void awaitCharged(long permits) {
        Await.until(permits + " permits to be charged", LONG, () -> charged() == permits);
    }

    /** The permits that are charged, read over a connection of its own. */
    private long charged() {
        return LIMIT - direct.limiter(POLICY).peek("a").remaining();
    }
}

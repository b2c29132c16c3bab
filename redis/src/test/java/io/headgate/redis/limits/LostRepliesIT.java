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
import io.lettuce.core.RedisClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** When replies to requests with ids are lost, callers that retry with the same ids are charged once. */
@Timeout(60)
class LostRepliesIT {

    @RegisterExtension
    final OwnRedis redis = new OwnRedis();

    private static final Duration LONG = Duration.ofSeconds(20);
    private static final long LIMIT = 100_000;
    private static final Policy POLICY =
            Policy.of("once", Limit.slidingWindow(LIMIT, Duration.ofHours(1)), Attributes.KEY);

    private final RedisClient applicationClient = RedisClient.create(redis.proxy.url());
    private final RedisLimitEngine direct = redis.limits().build();

    @AfterEach
    void close() {
        direct.close();
        applicationClient.shutdown(0, 2, TimeUnit.SECONDS);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void a_request_id_that_is_retried_at_another_engine_is_charged_once(boolean ofTheApplication) {
        RedisSettings settings =
                ofTheApplication ? RedisSettings.of(applicationClient) : RedisSettings.of(redis.proxy.url());
        try (RedisLimitEngine limits =
                Engines.builder(settings.withTimeout(LONG)).build()) {
            Limiter limiter = limits.limiter(POLICY);
            assertThat(limiter.tryAcquire("a").allowed()).isTrue();
            redis.proxy.holdReplies();
            List<CompletionStage<Decision>> calls = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                calls.add(limiter.async().tryAcquire(request(i)));
            }
            Await.until("201 permits to be charged", LONG, () -> charged() == 201);
            redis.proxy.cutAll();
            assertThat(Burst.awaiting(calls).failures()).hasSize(200).allMatch(LimiterException::mayBeCharged);
            for (int i = 0; i < 200; i++) {
                Decision decision = direct.limiter(POLICY).tryAcquire(request(i));
                assertThat(decision.remaining()).isEqualTo(LIMIT - 2 - i);
            }
            assertThat(charged()).isEqualTo(201);
        }
    }

    private static PermitRequest request(int number) {
        return PermitRequest.of("a").withId(RequestId.of("request " + number));
    }

    private long charged() {
        return LIMIT - direct.limiter(POLICY).peek("a").remaining();
    }
}

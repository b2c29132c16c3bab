package io.headgate.spring.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.config.PolicyRegistry;
import io.headgate.limits.Attributes;
import io.headgate.limits.LimitEngine;
import io.headgate.limits.PermitRequest;
import io.headgate.redis.limits.RedisLimitEngine;
import io.headgate.spring.web.LimitExceededException;
import java.time.Duration;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.data.redis.core.StringRedisTemplate;

/** Tests a whole application on the embedded Redis. */
@SpringBootTest(
        webEnvironment = SpringBootTest.WebEnvironment.NONE,
        properties = {"spring.config.location=classpath:guide/tested.yaml", "spring.data.redis.host=redis.internal"})
@AutoConfigureHeadgate(engine = AutoConfigureHeadgate.Engine.EMBEDDED_REDIS)
class RedisShopIT {

    @Autowired
    Shop.Mails mails;

    @Autowired
    PolicyRegistry registry;

    @Autowired
    LimitEngine engine;

    @Autowired
    StringRedisTemplate redis;

    @RepeatedTest(2)
    void permits_holds_and_pauses_of_an_earlier_method_are_reset() {
        assertThat(engine).isInstanceOf(RedisLimitEngine.class);
        assertThat(mails.send("alice")).isEqualTo("sent to alice");
        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(() -> mails.send("alice")).isInstanceOf(LimitExceededException.class);
        }
        assertThat(registry.inFlight("exports").tryAcquire(PermitRequest.global()).allowed())
                .as("a hold that the test does not release")
                .isTrue();
        PermitRequest call =
                PermitRequest.of(Attributes.of("host", "partner.example").with("user", "alice"));
        assertThat(registry.limiter("partner").tryAcquire(call).allowed()).isTrue();
        registry.limiter("partner").pause(Attributes.of("host", "partner.example"), Duration.ofHours(1));
        assertThat(registry.limiter("partner").tryAcquire(call).denied()).isTrue();
    }

    @Test
    void the_redis_is_also_that_of_the_application() {
        redis.opsForValue().set("own", "value", Duration.ofMinutes(1));
        assertThat(redis.opsForValue().get("own")).isEqualTo("value");
        mails.send("alice");
        assertThat(redis.keys("test-*")).isNotEmpty();
    }
}

package io.headgate.spring.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.config.PolicyRegistry;
import io.headgate.limits.Attributes;
import io.headgate.limits.InMemoryLimitEngine;
import io.headgate.limits.LimitEngine;
import io.headgate.limits.PermitRequest;
import io.headgate.spring.web.LimitExceededException;
import java.time.Duration;
import org.junit.jupiter.api.RepeatedTest;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

/** Tests a whole application, whose properties ask for Redis. */
@SpringBootTest(
        webEnvironment = SpringBootTest.WebEnvironment.NONE,
        properties = {"spring.config.location=classpath:guide/tested.yaml", "headgate.engine=redis"})
@AutoConfigureHeadgate
class InMemoryShopTest {

    @Autowired
    Shop.Mails mails;

    @Autowired
    PolicyRegistry registry;

    @Autowired
    LimitEngine engine;

    @RepeatedTest(2)
    void permits_holds_and_pauses_of_an_earlier_method_are_reset() {
        assertThat(engine).isInstanceOf(InMemoryLimitEngine.class);
        assertThat(mails.send("alice")).isEqualTo("sent to alice");
        assertThatThrownBy(() -> mails.send("alice")).isInstanceOf(LimitExceededException.class);

        assertThat(registry.inFlight("exports").tryAcquire(PermitRequest.global()).allowed())
                .as("a hold that the test does not release")
                .isTrue();

        PermitRequest call =
                PermitRequest.of(Attributes.of("host", "partner.example").with("user", "alice"));
        assertThat(registry.limiter("partner").tryAcquire(call).allowed()).isTrue();
        registry.limiter("partner").pause(Attributes.of("host", "partner.example"), Duration.ofHours(1));
        assertThat(registry.limiter("partner").tryAcquire(call).denied()).isTrue();

        assertThat(engine.allow("alice", "search", 1, Duration.ofHours(1))).isTrue();
        assertThat(engine.allow("alice", "search", 1, Duration.ofHours(1))).isFalse();
    }
}

package io.headgate.spring.outgoing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.config.PolicyRegistry;
import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Limiter;
import io.headgate.limits.PermitRequest;
import io.headgate.spring.web.LimitExceededException;
import io.headgate.testkit.Await;
import io.headgate.testkit.RedisServer;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpStatusCode;
import org.springframework.web.client.RestClient;

/** A partner's 429 to one application pauses the calls of another one. */
@Timeout(60)
class SharedPauseIT {

    private static final RedisServer REDIS = RedisServer.shared();

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}

    private static ConfigurableApplicationContext start() {
        return new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .properties(
                        "headgate.redis.url=" + REDIS.url(),
                        "headgate.redis.key-prefix=shared-pause",
                        "headgate.policies.partners.pausable=true",
                        "headgate.policies.partners.rules.calls.by[0]=host",
                        "headgate.policies.partners.rules.calls.by[1]=path",
                        "headgate.policies.partners.rules.calls.sliding-window.permits=100",
                        "headgate.policies.partners.rules.calls.sliding-window.window=1m",
                        "headgate.outgoing.routes[0].policy=partners",
                        "headgate.outgoing.routes[0].by.host=host",
                        "headgate.outgoing.routes[0].by.path=path",
                        "headgate.outgoing.routes[0].pause-by=host")
                .run();
    }

    private static HttpStatusCode get(ConfigurableApplicationContext application, String url) {
        RestClient client = application.getBean(RestClient.Builder.class).build();
        return client.get().uri(url).exchange((request, response) -> response.getStatusCode());
    }

    @Test
    void a_429_to_one_application_pauses_the_calls_of_another_to_the_same_host() {
        try (Partner partner = new Partner();
                ConfigurableApplicationContext first = start();
                ConfigurableApplicationContext second = start()) {
            assertThat(get(second, partner.url("/b")).value()).isEqualTo(200);
            partner.reply(429, "3600");
            assertThat(get(first, partner.url("/a")).value()).isEqualTo(429);
            Limiter limiter = second.getBean(PolicyRegistry.class).limiter("partners");
            Attributes call = Attributes.of("host", "localhost").with("path", "/b");
            Await.until("pause", Duration.ofSeconds(20), () -> limiter.peek(
                            PermitRequest.of(call))
                    .basis()
                    == Decision.Basis.PAUSED);
            partner.calls();
            assertThatThrownBy(() -> get(second, partner.url("/b"))).isInstanceOf(LimitExceededException.class);
            assertThat(partner.calls()).isZero();
            limiter.resume(Attributes.of("host", "localhost"));
        }
    }
}

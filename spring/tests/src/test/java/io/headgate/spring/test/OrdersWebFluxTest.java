package io.headgate.spring.test;

import io.headgate.testkit.ManualClock;
import java.time.Duration;
import org.junit.jupiter.api.RepeatedTest;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.test.web.reactive.server.WebTestClient;

@WebFluxTest
@AutoConfigureHeadgate
class OrdersWebFluxTest {

    @Autowired
    WebTestClient client;

    @Autowired
    ManualClock clock;

    @RepeatedTest(2)
    void the_third_request_of_a_minute_is_denied() {
        orders().expectStatus().isOk();
        orders().expectStatus().isOk().expectHeader().valueEquals("X-RateLimit-Remaining", "0");
        orders().expectStatus().isEqualTo(429).expectHeader().valueEquals("Retry-After", "60");

        clock.advance(Duration.ofMinutes(1));
        orders().expectStatus().isOk();
        client.get().uri("/mails/alice").exchange().expectStatus().isOk();
        client.get().uri("/mails/alice").exchange().expectStatus().isEqualTo(429);
    }

    private WebTestClient.ResponseSpec orders() {
        return client.get().uri("/orders").header("X-User", "alice").exchange();
    }
}

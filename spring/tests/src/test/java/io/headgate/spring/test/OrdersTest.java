package io.headgate.spring.test;

import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.content;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.header;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.status;

import io.headgate.testkit.ManualClock;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.test.web.servlet.MockMvc;

@WebMvcTest
@AutoConfigureHeadgate
class OrdersTest {

    @Autowired
    MockMvc client;

    @Autowired
    ManualClock clock;

    @RepeatedTest(2)
    void each_method_begins_without_counts_at_the_same_time() throws Exception {
        client.perform(get("/orders").header("X-User", "alice"))
                .andExpect(header().string("X-RateLimit-Remaining", "1"));
        client.perform(get("/mails/alice")).andExpect(content().string("sent to alice"));
        client.perform(get("/mails/alice"))
                .andExpect(status().isTooManyRequests())
                .andExpect(header().string("Retry-After", Long.toString(Duration.ofDays(31).toSeconds())));
        clock.setMicros(Instant.parse("2026-01-31T23:59:59Z").getEpochSecond() * 1_000_000);
        client.perform(get("/mails/alice")).andExpect(header().string("Retry-After", "1"));
    }

    @Test
    void the_third_request_of_a_minute_is_denied() throws Exception {
        client.perform(get("/orders").header("X-User", "alice")).andExpect(status().isOk());
        client.perform(get("/orders").header("X-User", "alice")).andExpect(status().isOk());
        client.perform(get("/orders").header("X-User", "alice"))
                .andExpect(status().isTooManyRequests())
                .andExpect(header().string("Retry-After", "60"));

        clock.advance(Duration.ofMinutes(1));
        client.perform(get("/orders").header("X-User", "alice")).andExpect(status().isOk());
    }
}

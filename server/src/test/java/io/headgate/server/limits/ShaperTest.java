package io.headgate.server.limits;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.Limit;
import io.headgate.limits.Policy;
import io.headgate.server.TestServer;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The delays of a shaper in responses, and delayed responses. The parameter {@code hold} is the longest delay of a response. */
class ShaperTest {

    private static final TestServer server = new TestServer(
            Policy.of("slow", Limit.leakyBucket(3, 1, Duration.ofSeconds(90)).shaper()),
            Policy.of("fast", Limit.leakyBucket(2, 1, Duration.ofMillis(1)).shaper()));

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void forget() {
        server.forget();
    }

    @Test
    void the_json_states_the_delay_and_is_never_delayed() {
        assertThat(server.check("{\"policy\": \"slow\"}").body()).doesNotContain("delaySeconds");
        server.clock.advance(Duration.ofMillis(500));

        assertThat(server.check("{\"policy\": \"slow\"}").body())
                .startsWith("{\"policy\":\"slow\",\"allowed\":true,\"delaySeconds\":89.5,\"limit\":3,\"remaining\":1,")
                .contains("{\"rule\":\"limit\",\"allowed\":true,\"delaySeconds\":89.5,\"limit\":3,");
    }

    @Test
    void a_response_that_is_not_delayed_states_the_whole_delay() {
        HttpResponse<String> first = server.get("/check/slow?hold=0ms");
        assertThat(first.statusCode()).isEqualTo(200);
        assertThat(first.headers().firstValue("Headgate-Delay")).isEmpty();

        HttpResponse<String> second = server.get("/check/slow?hold=0ms");

        assertThat(second.statusCode()).isEqualTo(200);
        assertThat(second.headers().map()).containsEntry("Headgate-Delay", List.of("90"));
        assertThat(second.headers().firstValue("RateLimit")).contains("\"limit\";r=1;t=180");
    }

    @Test
    void a_response_that_is_delayed_in_part_states_the_rest_of_the_delay() {
        server.get("/check/slow");

        assertThat(server.get("/check/slow?hold=1ms").headers().firstValue("Headgate-Delay"))
                .contains("89.999");
    }

    @Test
    void a_response_that_is_delayed_in_full_states_no_delay() {
        server.get("/check/fast");

        HttpResponse<String> response = server.get("/check/fast");

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.headers().firstValue("Headgate-Delay")).isEmpty();
        assertThat(response.headers().firstValue("X-RateLimit-Remaining")).contains("0");
    }

    @Test
    void a_denial_states_a_retry_after_and_no_delay() {
        server.get("/check/slow?permits=3");

        HttpResponse<String> response = server.get("/check/slow");

        assertThat(response.statusCode()).isEqualTo(429);
        assertThat(response.headers().firstValue("Retry-After")).contains("90");
        assertThat(response.headers().firstValue("Headgate-Delay")).isEmpty();
        assertThat(response.body())
                .contains("Rule limit admits 1 permit each 90 seconds, evenly spaced, from a queue of 3");
    }

    @ParameterizedTest
    @ValueSource(strings = {"5", "4001ms", "1m", "-1s", "1s&hold=1s"})
    void an_invalid_hold_is_400_and_charges_nothing(String hold) {
        HttpResponse<String> response = server.get("/check/slow?hold=" + hold);

        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(response.body())
                .containsAnyOf("hold must be a time from 0ms to 4s such as 500ms, was", "given 2 times");
        assertThat(server.get("/check/slow").headers().firstValue("X-RateLimit-Remaining"))
                .contains("2");
    }
}

package io.headgate.server.limits;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.http.attributes.ClientAddress;
import io.headgate.limits.Attributes;
import io.headgate.limits.Limit;
import io.headgate.limits.Policy;
import io.headgate.server.TestServer;
import io.headgate.server.serve.ServerSettings;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A proxy that sends X-Forwarded-For instead of Headgate-Ip, which only a server with trusted proxies reads. */
class TrustedProxiesTest {

    private static final Policy BY_IP = Policy.of("api", Limit.slidingWindow(2, Duration.ofMinutes(1)), Attributes.IP);

    private static final TestServer server = new TestServer(
            ServerSettings.builder(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                    .drainDelay(Duration.ZERO)
                    .clientAddress(Optional.of(ClientAddress.trusting("127.0.0.0/8", "::1")))
                    .build(),
            BY_IP);

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void forget() {
        server.forget();
    }

    @Test
    void each_client_of_the_proxy_has_a_limit_of_its_own() {
        assertThat(remaining("X-Forwarded-For", "198.51.100.7")).isEqualTo("1");
        assertThat(remaining("X-Forwarded-For", "6.6.6.6, 198.51.100.7")).isEqualTo("0");
        assertThat(remaining("X-Forwarded-For", "198.51.100.8")).isEqualTo("1");
        assertThat(remaining("X-Forwarded-For", "2001:db8::1")).isEqualTo("1");
        assertThat(remaining("X-Forwarded-For", "2001:db8::2")).isEqualTo("0");
    }

    @Test
    void without_a_usable_field_the_client_is_the_proxy() {
        assertThat(remaining()).isEqualTo("1");
        assertThat(remaining("X-Forwarded-For", "unknown")).isEqualTo("0");
    }

    @Test
    void a_client_cannot_choose_its_address() {
        assertThat(remaining("Headgate-Ip", "198.51.100.7", "X-Forwarded-For", "198.51.100.8"))
                .isEqualTo("1");
        assertThat(remaining("Headgate-Ip", "198.51.100.9", "X-Forwarded-For", "198.51.100.8"))
                .isEqualTo("0");
        assertThat(remaining("X-Forwarded-For", "198.51.100.7")).isEqualTo("1");
    }

    @Test
    void without_trusted_proxies_the_field_is_ignored() {
        try (TestServer trustingNone = new TestServer(BY_IP)) {
            assertThat(trustingNone
                            .get("/check/api", "X-Forwarded-For", "198.51.100.7")
                            .statusCode())
                    .isEqualTo(400);
            assertThat(remaining(trustingNone, "Headgate-Ip", "192.0.2.1", "X-Forwarded-For", "198.51.100.7"))
                    .isEqualTo("1");
            assertThat(remaining(trustingNone, "Headgate-Ip", "192.0.2.1", "X-Forwarded-For", "198.51.100.8"))
                    .isEqualTo("0");
        }
    }

    private static String remaining(String... fields) {
        return remaining(server, fields);
    }

    private static String remaining(TestServer checked, String... fields) {
        HttpResponse<String> response = checked.get("/check/api", fields);
        assertThat(response.statusCode()).isEqualTo(200);
        return response.headers().firstValue("X-RateLimit-Remaining").orElseThrow();
    }
}

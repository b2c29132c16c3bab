package io.headgate.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.headgate.http.attributes.ClientAddress;
import io.headgate.server.TestServer;
import io.headgate.server.TimedAttempt;
import io.headgate.server.serve.ServerSettings;
import io.headgate.testkit.ManualClock;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Attempts with wrong tokens are limited for each client; the server trusts the proxy at 127.0.0.1. */
class FailedAttemptsTest {

    private static final String TOKEN = "an-operators-own-secret";

    private TestServer server = start();

    private static TestServer start() {
        return new TestServer(
                ServerSettings.builder(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                        .drainDelay(Duration.ZERO)
                        .operatorToken(Optional.of(new BearerToken(TOKEN)))
                        .clientAddress(Optional.of(ClientAddress.trusting("127.0.0.0/8")))
                        .build(),
                TestServer.API);
    }

    /** Starts another server, which knows no failures. */
    private void restart() {
        server.close();
        server = start();
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private HttpResponse<String> bans(String client, String authorization) {
        return server.send(HttpRequest.newBuilder(server.at("/v1/bans"))
                .header("X-Forwarded-For", client)
                .header("Authorization", authorization));
    }

    private void fail(String client, int times) {
        for (int i = 0; i < times; i++) {
            assertThat(bans(client, "Bearer guess-number-" + i).statusCode()).isEqualTo(401);
        }
    }

    @Test
    void after_ten_wrong_tokens_a_client_gets_429_with_retry_after_also_for_the_right_one() throws Exception {
        // On a slow machine, the first failure may be a minute ago.
        TimedAttempt.run(Duration.ofMinutes(1), attempt -> {
            restart();
            Logger log = (Logger) LoggerFactory.getLogger("io.headgate.audit");
            ListAppender<ILoggingEvent> written = new ListAppender<>();
            written.start();
            log.addAppender(written);
            attempt.start();
            long start = System.nanoTime();
            fail("192.0.2.7", 10);
            for (String token : new String[] {"guess-number-11", TOKEN}) {
                HttpResponse<String> refused = bans("192.0.2.7", "Bearer " + token);
                assertThat(refused.statusCode()).isEqualTo(429);
                assertThat(Integer.parseInt(
                                refused.headers().firstValue("Retry-After").orElseThrow()))
                        .isBetween(1, 60);
                assertThat(refused.body()).contains("your address has sent 10 wrong operator tokens in a minute");
            }
            Duration elapsed = Duration.ofNanos(System.nanoTime() - start);
            attempt.stop();
            assertThat(bans("192.0.2.8", "Bearer " + TOKEN).statusCode()).isEqualTo(200);
            assertThat(server.get("/check/api?user=a", "X-Forwarded-For", "192.0.2.7")
                            .statusCode())
                    .isEqualTo(200);
            log.detachAppender(written);
            // Of twelve refusals in five seconds, one line.
            assertThat(written.list)
                    .extracting(ILoggingEvent::getFormattedMessage)
                    .filteredOn(line -> line.contains("refused"))
                    .hasSizeBetween(1, 1 + (int) (elapsed.toSeconds() / 5))
                    .startsWith("operator 192.0.2.7 list bans: refused with 401");
        });
    }

    @Test
    void all_addresses_of_an_ipv6_network_are_one_client() throws Exception {
        TimedAttempt.run(Duration.ofMinutes(1), attempt -> {
            restart();
            attempt.start();
            fail("2001:db8:1:2::1", 5);
            fail("2001:db8:1:2::2", 5);
            assertThat(bans("2001:db8:1:2:ffff::3", "Bearer " + TOKEN).statusCode())
                    .isEqualTo(429);
            assertThat(bans("2001:db8:1:3::1", "Bearer " + TOKEN).statusCode()).isEqualTo(200);
        });
    }

    @Test
    void right_tokens_and_requests_without_a_token_do_not_count() {
        for (int i = 0; i < 20; i++) {
            assertThat(bans("192.0.2.9", "Bearer " + TOKEN).statusCode()).isEqualTo(200);
            assertThat(bans("192.0.2.9", "Basic eDp5").statusCode()).isEqualTo(401);
            assertThat(server.get("/v1/bans", "X-Forwarded-For", "192.0.2.9").statusCode())
                    .isEqualTo(401);
        }
    }

    @Test
    void a_client_may_try_again_a_minute_after_its_oldest_failure() {
        ManualClock clock = ManualClock.at(Instant.parse("2026-01-01T00:00:00Z"));
        FailedAttempts attempts = new FailedAttempts(clock);
        attempts.add("192.0.2.7");
        clock.advance(Duration.ofSeconds(20));
        for (int i = 1; i < FailedAttempts.MAX; i++) {
            attempts.requireAllowed("192.0.2.7");
            attempts.add("192.0.2.7");
        }
        assertThatThrownBy(() -> attempts.requireAllowed("192.0.2.7"))
                .isInstanceOfSatisfying(ProblemException.class, refused -> assertThat(refused.fields())
                        .containsEntry("Retry-After", "40"));
        clock.advance(Duration.ofSeconds(40));
        attempts.requireAllowed("192.0.2.7");
    }
}

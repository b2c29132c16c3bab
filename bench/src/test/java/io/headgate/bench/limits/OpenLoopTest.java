package io.headgate.bench.limits;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** An open loop does not wait for the application, and does not forgive it. */
class OpenLoopTest {

    private static final int PER_SECOND = 1000;
    private static final Duration TIME = Duration.ofMillis(100);
    private static final int REQUESTS = 100;

    private final CountDownLatch allHaveCome = new CountDownLatch(REQUESTS);

    @Test
    void the_requests_of_a_user_are_due_well_away_from_the_end_of_the_window_of_an_earlier_one() {
        long everyNanos = 1_000_000_000L * OfferedScenario.USERS / OfferedScenario.PER_SECOND;
        long fromNanos = OfferedScenario.QUOTA.window().toNanos() % everyNanos;
        assertThat(Math.min(fromNanos, everyNanos - fromNanos)).isGreaterThan(40_000_000);
    }

    @Test
    void requests_to_an_application_that_stalls_are_sent_in_time_and_counted_from_when_they_were_due()
            throws IOException {
        try (ServerSocket server = new ServerSocket(0, 0, InetAddress.getLoopbackAddress());
                OpenLoop loop = new OpenLoop(server.getLocalPort(), PER_SECOND, 10)) {
            for (int i = 0; i < OpenLoop.CONNECTIONS; i++) {
                Socket connection = server.accept();
                Thread thread = new Thread(() -> answerWhenAllHaveCome(connection));
                thread.setDaemon(true);
                thread.start();
            }

            // Nothing is answered before the last request has come; a loop that waited would not end.
            Tally tally = loop.run(TIME);

            assertThat(tally.allowed()).isEqualTo(REQUESTS / 2);
            assertThat(tally.denied()).isEqualTo(REQUESTS / 2);
            // The first was due 99 ms before the last; the histogram rounds to a thousandth.
            assertThat(tally.percentileMicros(100)).isGreaterThan(98_000);
        }
    }

    private void answerWhenAllHaveCome(Socket connection) {
        try {
            // Left open: its end would be the end of the application.
            BufferedReader in =
                    new BufferedReader(new InputStreamReader(connection.getInputStream(), StandardCharsets.US_ASCII));
            int requests = REQUESTS / OpenLoop.CONNECTIONS;
            StringBuilder answers = new StringBuilder();
            for (int i = 0; i < requests; i++) {
                String user = in.readLine().split(" ")[1];
                assertThat(in.readLine()).isEqualTo("Host: bench");
                assertThat(in.readLine()).isEmpty();
                boolean even = user.charAt(user.length() - 1) % 2 == 0;
                answers.append(even ? "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok" : "HTTP/1.1 429 no\r\n\r\n");
                allHaveCome.countDown();
            }
            allHaveCome.await();
            connection.getOutputStream().write(answers.toString().getBytes(StandardCharsets.US_ASCII));
            connection.getOutputStream().flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}

package io.headgate.bench.limits;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.bench.run.Tally;
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

/** An open loop sends requests at their due times, and latencies include the time for which an application stalls. */
class OpenLoopTest {

    private static final int PER_SECOND = 1000;
    private static final Duration TIME = Duration.ofMillis(100);
    private static final int REQUESTS = 100;

    private final CountDownLatch allArrived = new CountDownLatch(REQUESTS);

    /** Otherwise, a small delay of a request could change whether it is allowed, and the counts would differ from the model. */
    @Test
    void no_request_of_a_user_is_due_close_to_the_end_of_a_window_that_an_earlier_one_started() {
        long intervalNanos = 1_000_000_000L * OfferedScenario.USERS / OfferedScenario.PER_SECOND;
        long beforeEndNanos = OfferedScenario.QUOTA.window().toNanos() % intervalNanos;
        assertThat(Math.min(beforeEndNanos, intervalNanos - beforeEndNanos)).isGreaterThan(40_000_000);
    }

    @Test
    void requests_to_a_stalled_application_are_sent_in_time_and_their_latency_counts_from_their_due_time()
            throws IOException {
        try (ServerSocket server = new ServerSocket(0, 0, InetAddress.getLoopbackAddress());
                OpenLoop loop = new OpenLoop(server.getLocalPort(), PER_SECOND, 10)) {
            for (int i = 0; i < OpenLoop.CONNECTIONS; i++) {
                Socket connection = server.accept();
                Thread thread = new Thread(() -> answerAfterAllArrived(connection));
                thread.setDaemon(true);
                thread.start();
            }

            // No request is answered before the last one has arrived; a loop that waited for answers would not end.
            Tally tally = loop.run(TIME);

            assertThat(tally.allowed()).isEqualTo(REQUESTS / 2);
            assertThat(tally.denied()).isEqualTo(REQUESTS / 2);
            // The first was due 99 ms before the last; the histogram rounds to a thousandth.
            assertThat(tally.percentileMicros(100)).isGreaterThan(98_000);
        }
    }

    private void answerAfterAllArrived(Socket connection) {
        try {
            // The connection stays open: the client takes its end as the end of the application.
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
                allArrived.countDown();
            }
            allArrived.await();
            connection.getOutputStream().write(answers.toString().getBytes(StandardCharsets.US_ASCII));
            connection.getOutputStream().flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}

package io.headgate.server.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.server.Server;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RunnableScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DelayedResponseTest {

    private final Timers timers = new Timers();

    @AfterEach
    void stop() {
        timers.shutdownNow();
    }

    @Test
    void a_delayed_response_is_created_and_sent() {
        HttpResponse later = DelayedResponse.after(Duration.ofMillis(1), () -> HttpResponse.of(HttpStatus.OK), timers);

        assertThat(later.aggregate().join().status()).isEqualTo(HttpStatus.OK);
    }

    @Test
    void the_timer_of_a_client_that_disconnects_is_cancelled() throws Exception {
        try (Server server = Server.builder()
                .http(0)
                .service(
                        "/",
                        (ctx, request) -> DelayedResponse.after(Duration.ofDays(1), HttpResponse::streaming, timers))
                .build()) {
            server.start().join();
            RunnableScheduledFuture<?> timer;
            try (Socket client = new Socket(InetAddress.getLoopbackAddress(), server.activeLocalPort())) {
                sendRequest(client);
                timer = timers.next();
            }
            assertThatThrownBy(() -> timer.get(20, TimeUnit.SECONDS)).isInstanceOf(CancellationException.class);
        }
    }

    private static void sendRequest(Socket client) throws IOException {
        client.getOutputStream().write("GET / HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
    }

    /** A timer that records its tasks. */
    private static final class Timers extends ScheduledThreadPoolExecutor {

        private final BlockingQueue<RunnableScheduledFuture<?>> timers = new LinkedBlockingQueue<>();

        Timers() {
            super(1);
        }

        @Override
        protected <V> RunnableScheduledFuture<V> decorateTask(Callable<V> task, RunnableScheduledFuture<V> timer) {
            timers.add(timer);
            return timer;
        }

        RunnableScheduledFuture<?> next() throws InterruptedException {
            return Optional.ofNullable(timers.poll(20, TimeUnit.SECONDS)).orElseThrow();
        }
    }
}

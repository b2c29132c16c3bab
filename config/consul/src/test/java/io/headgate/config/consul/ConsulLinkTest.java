package io.headgate.config.consul;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import io.headgate.config.internal.stores.StoreFailure;
import io.headgate.testkit.Await;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A link to a server whose first reply is late, and which never replies again. */
@Timeout(120)
class ConsulLinkTest {

    private static final Duration LONG = Duration.ofSeconds(60);
    private static final Duration SHORT = Duration.ofMillis(200);

    private final AtomicInteger requests = new AtomicInteger();
    private final CountDownLatch end = new CountDownLatch(1);
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final HttpServer server;

    ConsulLinkTest() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    }

    @BeforeEach
    void serve() {
        server.setExecutor(threads);
        server.createContext("/", exchange -> {
            try (exchange) {
                if (requests.incrementAndGet() == 1) {
                    long start = System.nanoTime();
                    Await.until("the short timeout", LONG, () -> System.nanoTime() - start > 2 * SHORT.toNanos());
                } else {
                    end.await();
                }
                byte[] keys = "[\"a\"]".getBytes(UTF_8);
                exchange.getResponseHeaders().set("Content-Type", "application/json");
                exchange.sendResponseHeaders(200, keys.length);
                exchange.getResponseBody().write(keys);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        server.start();
    }

    @AfterEach
    void close() {
        end.countDown();
        server.stop(0);
        threads.shutdownNow();
    }

    private List<String> keys(ConsulLink link) {
        return link.call("read a", consul -> consul.keyValueClient().getKeys("a"));
    }

    @Test
    void only_the_first_reply_may_take_longer_than_the_timeout() {
        String url = "http://127.0.0.1:" + server.getAddress().getPort();
        try (ConsulLink link = new ConsulLink(ConsulSettings.of(url), SHORT, LONG)) {
            assertThat(keys(link)).containsExactly("a");
            assertThatThrownBy(() -> keys(link))
                    .isInstanceOf(StoreFailure.class)
                    .hasMessageEndingWith("Consul did not reply within 0 s");
            assertThat(requests).hasValue(2);
        }
    }

    @Test
    void without_a_longer_first_timeout_a_late_first_reply_is_a_failure() {
        String url = "http://127.0.0.1:" + server.getAddress().getPort();
        try (ConsulLink link = new ConsulLink(ConsulSettings.of(url), SHORT, SHORT)) {
            assertThatThrownBy(() -> keys(link)).hasMessageEndingWith("Consul did not reply within 0 s");
        }
    }
}

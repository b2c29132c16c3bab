package io.headgate.spring.outgoing;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.headgate.testkit.Await;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A server of a partner whose responses last: {@code /open} ends the body, and {@code /silent} begins to reply, only when the test allows
 * it. {@code /broken} replies with status 500, and all other paths with 200 and a body.
 */
final class OpenPartner implements AutoCloseable {

    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final Semaphore received = new Semaphore(0);
    private final Semaphore finished = new Semaphore(0);
    private final AtomicInteger responding = new AtomicInteger();

    OpenPartner() {
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.createContext("/", this::reply);
        server.setExecutor(threads);
        server.start();
    }

    private void reply(HttpExchange exchange) throws IOException {
        responding.incrementAndGet();
        try {
            respond(exchange);
        } finally {
            responding.decrementAndGet();
        }
    }

    private void respond(HttpExchange exchange) throws IOException {
        String path = exchange.getRequestURI().getPath();
        received.release();
        try (exchange) {
            if (path.equals("/silent")) {
                finished.acquireUninterruptibly();
            }
            exchange.sendResponseHeaders(path.equals("/broken") ? 500 : 200, 0);
            OutputStream body = exchange.getResponseBody();
            body.write('1');
            body.flush();
            if (path.equals("/open")) {
                finished.acquireUninterruptibly();
            }
            body.write('2');
        }
    }

    String url(String path) {
        return "http://localhost:" + server.getAddress().getPort() + path;
    }

    /** Waits until a call arrives. */
    void awaitCall() throws InterruptedException {
        received.acquire();
    }

    /** Returns whether no call has arrived since the last {@link #awaitCall}. */
    boolean isUncalled() {
        return received.availablePermits() == 0;
    }

    /** Lets one open response end. */
    void finish() {
        finished.release();
    }

    /** Ends the responses of a test, whose threads would otherwise take the next {@link #finish}, and forgets its calls. */
    void reset() {
        Await.until("the end of all responses", Duration.ofSeconds(20), () -> {
            finished.release(responding.get());
            return responding.get() == 0;
        });
        received.drainPermits();
        finished.drainPermits();
    }

    @Override
    public void close() {
        // More than calls that are still open.
        finished.release(100);
        server.stop(0);
        threads.shutdownNow();
    }
}

package io.headgate.spring.outgoing;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.atomic.AtomicInteger;

/** A server of a partner, which replies with a status and, if that is not 200, a Retry-After. */
final class Partner implements AutoCloseable {

    private final HttpServer server;
    private final AtomicInteger calls = new AtomicInteger();
    private volatile int status = 200;
    private volatile String retryAfter = "";

    Partner() {
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.createContext("/", exchange -> {
            calls.incrementAndGet();
            if (!retryAfter.isEmpty()) {
                exchange.getResponseHeaders().set("Retry-After", retryAfter);
            }
            exchange.sendResponseHeaders(status, -1);
            exchange.close();
        });
        server.start();
    }

    String url(String path) {
        return "http://localhost:" + server.getAddress().getPort() + path;
    }

    void reply(int with, String retryAfterField) {
        status = with;
        retryAfter = retryAfterField;
    }

    /** Returns the number of calls since the last call of this method. */
    int calls() {
        return calls.getAndSet(0);
    }

    @Override
    public void close() {
        server.stop(0);
    }
}

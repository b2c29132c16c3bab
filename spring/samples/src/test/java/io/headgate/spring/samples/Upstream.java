package io.headgate.spring.samples;

import java.util.concurrent.atomic.AtomicInteger;
import reactor.core.publisher.Mono;
import reactor.netty.DisposableServer;
import reactor.netty.http.server.HttpServer;

/** A server behind a gateway. It answers {@code /api/broken} with status 503. */
final class Upstream implements AutoCloseable {

    private final AtomicInteger calls = new AtomicInteger();
    private final DisposableServer server = HttpServer.create()
            .host("127.0.0.1")
            .port(0)
            .handle((request, response) -> {
                calls.incrementAndGet();
                response.status(request.uri().equals("/api/broken") ? 503 : 200);
                return response.sendString(Mono.just("upstream"));
            })
            .bindNow();

    String uri() {
        return "http://127.0.0.1:" + server.port();
    }

    /** The number of requests that it received. */
    int calls() {
        return calls.get();
    }

    @Override
    public void close() {
        server.disposeNow();
    }
}

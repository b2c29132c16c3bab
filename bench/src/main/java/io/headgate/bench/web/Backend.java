package io.headgate.bench.web;

import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.server.Server;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/** The service behind a gateway, in the process of the benchmark. It answers each request at once. */
final class Backend implements AutoCloseable {

    private final Server server;

    private Backend(Server server) {
        this.server = server;
    }

    static Backend start() {
        Server server = Server.builder()
                .http(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                // Its connections are idle during the turns of other subjects, and must not time out.
                .idleTimeoutMillis(0)
                .requestTimeoutMillis(0)
                .service("/hello", (context, request) -> HttpResponse.of("hello"))
                .build();
        server.start().join();
        return new Backend(server);
    }

    int port() {
        return server.activeLocalPort();
    }

    @Override
    public void close() {
        server.stop().join();
    }
}

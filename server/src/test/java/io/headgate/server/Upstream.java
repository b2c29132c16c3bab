package io.headgate.server;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** The application behind a proxy: remembers what reached it. */
final class Upstream implements AutoCloseable {

    private final List<String> received = new CopyOnWriteArrayList<>();
    private final HttpServer server;

    Upstream() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", this::answer);
        server.start();
    }

    /** Method, path and body of each request, in order. */
    List<String> received() {
        return received;
    }

    /** Remembers nothing any more. */
    void forget() {
        received.clear();
    }

    String address() {
        return "127.0.0.1:" + server.getAddress().getPort();
    }

    private void answer(HttpExchange exchange) throws IOException {
        String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        received.add((exchange.getRequestMethod() + " " + exchange.getRequestURI() + " " + body).strip());
        int status = exchange.getRequestURI().getPath().equals("/busy") ? 503 : 200;
        byte[] answer = "from the application".getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(status, answer.length);
        exchange.getResponseBody().write(answer);
        exchange.close();
    }

    @Override
    public void close() {
        server.stop(0);
    }
}

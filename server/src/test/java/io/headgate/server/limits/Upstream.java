package io.headgate.server.limits;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** The application behind a proxy, which records the requests that reach it. */
final class Upstream implements AutoCloseable {

    private final List<String> received = new CopyOnWriteArrayList<>();
    private final List<Long> arrivals = new CopyOnWriteArrayList<>();
    private final HttpServer server;
    private volatile Headers lastFields = new Headers();

    Upstream() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", this::respond);
        server.start();
    }

    /** Method, path and body of each request, in order. */
    List<String> received() {
        return received;
    }

    /** All values of a field in the last request, in order; none when the field was absent. */
    List<String> fields(String name) {
        return lastFields.getOrDefault(name, List.of());
    }

    /** The time of each request, by {@link System#nanoTime()}, in order. */
    List<Long> arrivals() {
        return arrivals;
    }

    /** Deletes all records. */
    void forget() {
        received.clear();
        arrivals.clear();
        lastFields = new Headers();
    }

    String address() {
        return "127.0.0.1:" + server.getAddress().getPort();
    }

    private void respond(HttpExchange exchange) throws IOException {
        arrivals.add(System.nanoTime());
        lastFields = exchange.getRequestHeaders();
        String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        received.add((exchange.getRequestMethod() + " " + exchange.getRequestURI() + " " + body).strip());
        if ("websocket".equalsIgnoreCase(exchange.getRequestHeaders().getFirst("Upgrade"))) {
            shakeHands(exchange);
            return;
        }
        int status = exchange.getRequestURI().getPath().equals("/busy") ? 503 : 200;
        byte[] response = "from the application".getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(status, response.length);
        exchange.getResponseBody().write(response);
        exchange.close();
    }

    /** Accepts a WebSocket without messages, which the JDK's server cannot do. */
    private static void shakeHands(HttpExchange exchange) throws IOException {
        String key =
                exchange.getRequestHeaders().getFirst("Sec-WebSocket-Key") + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
        Headers fields = exchange.getResponseHeaders();
        fields.set("Connection", "Upgrade");
        fields.set("Upgrade", "websocket");
        fields.set("Sec-WebSocket-Accept", Base64.getEncoder().encodeToString(sha1(key)));
        exchange.sendResponseHeaders(101, -1);
    }

    private static byte[] sha1(String text) {
        try {
            return MessageDigest.getInstance("SHA-1").digest(text.getBytes(StandardCharsets.US_ASCII));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-1", e);
        }
    }

    @Override
    public void close() {
        server.stop(0);
    }
}

package io.headgate.server;

import io.headgate.config.Policies;
import io.headgate.limits.Attributes;
import io.headgate.limits.InMemoryLimitEngine;
import io.headgate.limits.Limit;
import io.headgate.limits.PermitRequest;
import io.headgate.limits.Policy;
import io.headgate.limits.hotkeys.HotKeys;
import io.headgate.server.http.BearerToken;
import io.headgate.server.serve.Counts;
import io.headgate.server.serve.Engine;
import io.headgate.server.serve.HeadgateServer;
import io.headgate.server.serve.ServerSettings;
import io.headgate.server.top.TopSource;
import io.headgate.testkit.ManualClock;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A server on a port of its own that counts in memory with a manual clock, and a client for it. */
public final class TestServer implements AutoCloseable {

    public static final Policy API = Policy.named("api")
            .rule("global", Limit.fixedWindow(1000, Duration.ofSeconds(1)))
            .rule("per-user", Limit.slidingWindow(3, Duration.ofMinutes(1)), Attributes.USER)
            .build();
    public static final Policy AGENTS =
            Policy.of("agents", Limit.slidingWindow(2, Duration.ofMinutes(1)), Attributes.USER_AGENT, Attributes.IP);

    public final ManualClock clock = ManualClock.at(Instant.parse("2026-01-01T00:00:00Z"));
    public final HttpClient client = HttpClient.newHttpClient();
    public final HeadgateServer server;
    final Engine engine;
    private final InMemoryLimitEngine limits;
    private final Policies policies;

    public TestServer() {
        this(Duration.ZERO, API, AGENTS);
    }

    public TestServer(Policy... policies) {
        this(Duration.ZERO, policies);
    }

    public TestServer(Duration drainDelay, Policy... policies) {
        this(settings(drainDelay), policies);
    }

    public TestServer(ServerSettings settings, Policy... policies) {
        this(settings, Policies.of(List.of(policies)));
    }

    public TestServer(ServerSettings settings, Policies policies) {
        Counts counts = new Counts();
        HotKeys hotKeys = HotKeys.create();
        this.policies = policies;
        limits = InMemoryLimitEngine.builder()
                .time(clock)
                .listener(counts)
                .listener(hotKeys)
                .build();
        engine = Engine.inMemory(
                limits, TopSource.of(hotKeys, () -> Instant.EPOCH.plus(clock.nowMicros(), ChronoUnit.MICROS)));
        server = HeadgateServer.start(settings, engine, policies, counts);
    }

    public static ServerSettings settings(Duration drainDelay) {
        return settings(drainDelay, Optional.empty());
    }

    public static ServerSettings settings(Duration drainDelay, Optional<BearerToken> refundToken) {
        return ServerSettings.builder(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .drainDelay(drainDelay)
                .refundToken(refundToken)
                .build();
    }

    /** The address as in a proxy's configuration. */
    public String address() {
        return "127.0.0.1:" + server.address().getPort();
    }

    public URI at(String path) {
        return URI.create(server.uri() + path);
    }

    public HttpResponse<String> get(String path, String... fields) {
        HttpRequest.Builder request = HttpRequest.newBuilder(at(path)).version(HttpClient.Version.HTTP_1_1);
        if (fields.length > 0) {
            request.headers(fields);
        }
        return send(request);
    }

    public HttpResponse<String> check(String body) {
        return check(body.getBytes(StandardCharsets.UTF_8), "application/json");
    }

    public HttpResponse<String> check(byte[] body, String contentType) {
        return post("/v1/check", body, contentType);
    }

    public HttpResponse<String> post(String path, String body) {
        return post(path, body.getBytes(StandardCharsets.UTF_8), "application/json");
    }

    /** A request with a JSON body, to which header fields can be added. */
    public HttpRequest.Builder json(String path, String body) {
        return HttpRequest.newBuilder(at(path))
                .version(HttpClient.Version.HTTP_1_1)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body));
    }

    /** The remaining permits of a user at 127.0.0.1 under a policy, read from the engine; nothing is charged. */
    public long remaining(String policy, String user) {
        Policy found = policies.list().stream()
                .filter(one -> one.name().equals(policy))
                .findFirst()
                .orElseThrow();
        return limits.limiter(found)
                .peek(PermitRequest.of(Attributes.of(Map.of(Attributes.USER, user, Attributes.IP, "127.0.0.1"))))
                .remaining();
    }

    private HttpResponse<String> post(String path, byte[] body, String contentType) {
        return send(HttpRequest.newBuilder(at(path))
                .version(HttpClient.Version.HTTP_1_1)
                .header("Content-Type", contentType)
                .POST(HttpRequest.BodyPublishers.ofByteArray(body)));
    }

    public HttpResponse<String> send(HttpRequest.Builder request) {
        try {
            return client.send(request.timeout(Duration.ofSeconds(60)).build(), HttpResponse.BodyHandlers.ofString());
        } catch (IOException e) {
            throw new AssertionError("no response", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        }
    }

    /** Advances the clock by an hour, so that the counts of all windows of up to an hour start from zero. */
    public void forget() {
        clock.advance(Duration.ofHours(1));
    }

    @Override
    public void close() {
        server.close();
        engine.close();
    }
}

package io.headgate.server.serve;

import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.server.DecoratingHttpServiceFunction;
import com.linecorp.armeria.server.HttpService;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.headgate.http.Problem;
import io.headgate.server.http.ProblemException;
import io.netty.channel.Channel;
import io.netty.channel.ChannelPipeline;
import io.netty.util.AttributeKey;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The open connections and the requests in flight on each, for a graceful shutdown.
 *
 * <p>Each connection is closed on its own event loop. Before the timeout, it is closed only while no request is in flight on it. So each
 * request either gets a response (503 at the timeout), or was never read. A client that loses its connection without a response can
 * send the request to another server, and the request is counted once. All methods may be called by any thread.
 */
final class Connections implements DecoratingHttpServiceFunction {

    private static final AttributeKey<Set<ServiceRequestContext>> IN_FLIGHT =
            AttributeKey.valueOf(Connections.class, "IN_FLIGHT");

    private static final Problem STOPPED = Problem.of(503, "the server stopped before this request was finished");

    /** The time in which the responses to cancelled requests are written. */
    private static final Duration LAST_RESPONSES = Duration.ofSeconds(1);

    private final Set<Channel> open = ConcurrentHashMap.newKeySet();
    private volatile boolean announced;
    private volatile boolean closing;

    /** Adds a connection that was just accepted. */
    void add(ChannelPipeline pipeline) {
        Channel connection = pipeline.channel();
        connection.attr(IN_FLIGHT).set(ConcurrentHashMap.newKeySet());
        open.add(connection);
        connection.closeFuture().addListener(closed -> open.remove(connection));
        if (closing) {
            closeWhenIdle(connection);
        }
    }

    @Override
    public HttpResponse serve(HttpService delegate, ServiceRequestContext ctx, HttpRequest request) throws Exception {
        @Nullable Channel connection = ctx.log().partial().channel();
        if (connection != null) {
            Set<ServiceRequestContext> inFlight = connection.attr(IN_FLIGHT).get();
            inFlight.add(ctx);
            ctx.log().whenComplete().thenRun(() -> {
                inFlight.remove(ctx);
                if (closing) {
                    closeWhenIdle(connection);
                }
            });
        }
        if (announced) {
            closeAfterResponse(ctx);
        }
        return delegate.serve(ctx, request);
    }

    /** Adds {@code Connection: close} to the responses to all further HTTP/1 requests, so that their clients open other connections. */
    void announceShutdown() {
        announced = true;
    }

    /**
     * Stops accepting connections, closes idle ones, and waits until the requests on the others are finished. Requests that are still in
     * flight after the timeout get the status 503.
     *
     * <p>An HTTP/2 connection gets GOAWAY when it is idle, or after half of the timeout, because the HTTP client of older JDKs fails its
     * requests in flight when it receives GOAWAY.
     */
    void drain(Duration timeout) {
        announced = true;
        closing = true;
        // The parent of a connection is its listener. One without connections is stopped by the caller, after this.
        open.stream().map(Channel::parent).distinct().forEach(listener -> listener.close()
                .awaitUninterruptibly());
        open.forEach(this::closeWhenIdle);
        Duration half = timeout.dividedBy(2);
        if (!awaitClosed(half)) {
            forEachInFlight(ServiceRequestContext::initiateConnectionShutdown);
        }
        if (!awaitClosed(timeout.minus(half))) {
            ProblemException stopped = new ProblemException(STOPPED, Map.of("Retry-After", "1"));
            forEachInFlight(ctx -> ctx.cancel(stopped));
            awaitClosed(LAST_RESPONSES);
        }
    }

    private void forEachInFlight(Consumer<ServiceRequestContext> action) {
        open.forEach(connection -> connection.attr(IN_FLIGHT).get().forEach(action));
    }

    private void closeWhenIdle(Channel connection) {
        connection.eventLoop().execute(() -> {
            Set<ServiceRequestContext> inFlight = connection.attr(IN_FLIGHT).get();
            if (inFlight.isEmpty()) {
                connection.close();
            } else {
                inFlight.forEach(Connections::closeAfterResponse);
            }
        });
    }

    /** Adds {@code Connection: close} to the response. A connection of HTTP/2 stays open until it is idle. */
    private static void closeAfterResponse(ServiceRequestContext ctx) {
        if (!ctx.sessionProtocol().isMultiplex()) {
            ctx.initiateConnectionShutdown();
        }
    }

    private boolean awaitClosed(Duration timeout) {
        CompletableFuture<?>[] closed = open.stream()
                .map(connection -> {
                    CompletableFuture<Void> future = new CompletableFuture<>();
                    connection.closeFuture().addListener(done -> future.complete(null));
                    return future;
                })
                .toArray(CompletableFuture[]::new);
        return CompletableFuture.allOf(closed)
                .handle((done, failure) -> true)
                .completeOnTimeout(false, timeout.toMillis(), TimeUnit.MILLISECONDS)
                .join();
    }
}

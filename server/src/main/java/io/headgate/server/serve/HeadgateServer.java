package io.headgate.server.serve;

import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.util.DomainSocketAddress;
import com.linecorp.armeria.server.HttpService;
import com.linecorp.armeria.server.Server;
import com.linecorp.armeria.server.ServerBuilder;
import io.headgate.config.Policies;
import io.headgate.config.PolicyRegistry;
import io.headgate.http.attributes.ClientAddress;
import io.headgate.server.audit.ServerAudit;
import io.headgate.server.audit.read.AuditApi;
import io.headgate.server.bans.BanApi;
import io.headgate.server.cli.StartException;
import io.headgate.server.holds.HoldsApi;
import io.headgate.server.http.OperatorGate;
import io.headgate.server.http.Responses;
import io.headgate.server.http.WaitingRequests;
import io.headgate.server.limits.FieldNames;
import io.headgate.server.limits.LimitsApi;
import io.headgate.server.net.ConnectionBounds;
import io.headgate.server.net.ListenerTls;
import io.headgate.server.operators.OperatorsFile;
import io.headgate.server.policies.PolicyApi;
import io.headgate.server.queues.http.QueueApi;
import io.headgate.server.top.TopApi;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.ChannelOption;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The HTTP server: its paths, bounds and life cycle. No request blocks an event loop. */
public final class HeadgateServer implements AutoCloseable {

    /** The maximum bytes of a request body, except for enqueued jobs. */
    static final int MAX_REQUEST_BYTES = ConnectionBounds.MAX_BODY_BYTES;

    /** The maximum bytes of one read from a connection, which the server buffers while the client reads no responses. */
    private static final int MAX_READ_BYTES = 16 * 1024;

    /** The maximum number of open streams of an HTTP/2 connection. */
    private static final int MAX_STREAMS = 1000;

    /** The time after which an idle connection is closed, counted from its start or its last response. */
    private static final Duration IDLE_TIMEOUT = Duration.ofSeconds(15);

    private static final Logger log = LoggerFactory.getLogger(HeadgateServer.class);

    private final ServerSettings settings;
    private final Readiness readiness;
    private final ServerAudit audit;
    private final ServerMetrics metrics;
    private final Connections connections = new Connections();
    private final Server server;

    /** The server at the address of operators; empty if their calls share the other one. */
    private final Optional<Server> operatorServer;

    private HeadgateServer(ServerSettings settings, Engine engine, ServedPolicies policies, Counts counts) {
        this.settings = settings;
        PolicyRegistry registry = policies.registry();
        this.audit = new ServerAudit(settings.auditFile(), engine.audit());
        engine.limits().addListener(audit.ruleBans());
        this.metrics = new ServerMetrics(engine, policies);
        this.readiness = new Readiness(engine, policies);
        Status status = new Status(engine, policies, counts);
        ConnectionBounds bounds = new ConnectionBounds(settings.maxConnectionsPerClient(), MAX_STREAMS);
        ServerBuilder builder = bounded(settings.listen(), settings.tls(), bounds);
        addHealth(builder, status);
        builder.service("/", getOnly(() -> new Page(status, uri()).response()));
        WaitingRequests waiting = new WaitingRequests(settings.maxWaiting());
        new LimitsApi(registry, engine.limits(), settings.refundToken(), waiting, settings.clientAddress(), audit)
                .addTo(builder);
        new HoldsApi(registry, waiting).addTo(builder);
        Optional<ServerBuilder> ofOperators =
                settings.operatorListen().map(address -> bounded(address, settings.operatorTls(), bounds));
        ofOperators.ifPresent(own -> addHealth(own, status));
        metrics.addTo(ofOperators.orElse(builder));
        addOperatorCalls(ofOperators.orElse(builder), engine, policies);
        this.server = builder.build();
        this.operatorServer = ofOperators.map(ServerBuilder::build);
    }

    private void addHealth(ServerBuilder builder, Status status) {
        builder.service("/v1/status", getOnly(() -> Responses.json(status.members())))
                .service("/healthz", getOnly(() -> Responses.text("alive")))
                .service("/readyz", getOnly(readiness::response));
    }

    private void addOperatorCalls(ServerBuilder builder, Engine engine, ServedPolicies policies) {
        // Operators at a listener of their own may connect directly, so a mere number of proxies is not trusted there.
        Optional<ClientAddress> proxies = settings.clientAddress()
                .filter(address -> settings.operatorListen().isEmpty()
                        || !address.trustedNetworks().isEmpty());
        OperatorGate gate = new OperatorGate(
                settings.operatorToken(), settings.operators(), settings.operatorProxy(), proxies, audit);
        builder.service(
                "/v1/top", new TopApi(engine.top(), () -> policies.current().names(), gate));
        new BanApi(engine.limits().bans(), proxies, gate).addTo(builder);
        new PolicyApi(policies::current, policies.status(), policies.source(), gate).addTo(builder);
        new QueueApi(engine.queues(), gate).addTo(builder);
        new AuditApi(audit.stored(), gate).addTo(builder);
    }

    /**
     * Starts the server with policies that do not change.
     *
     * @param counts the counters that the engine updates
     * @throws StartException if the server cannot listen on the address
     */
    public static HeadgateServer start(ServerSettings settings, Engine engine, Policies policies, Counts counts) {
        return start(settings, engine, ServedPolicies.fixed(engine.limits(), policies), counts);
    }

    /**
     * Starts the server with policies that may change.
     *
     * @param counts the counters that the engine updates
     * @throws StartException if the server cannot listen on the address
     */
    static HeadgateServer start(ServerSettings settings, Engine engine, ServedPolicies policies, Counts counts) {
        HeadgateServer server = new HeadgateServer(settings, engine, policies, counts);
        try {
            server.server.start().join();
        } catch (CompletionException e) {
            throw ListenAddress.failure(settings.listen(), Objects.requireNonNull(e.getCause()));
        }
        server.startForOperators();
        return server;
    }

    private void startForOperators() {
        boolean started = false;
        try {
            operatorServer.ifPresent(own -> own.start().join());
            settings.operatorListen().ifPresent(OperatorAddress::restrict);
            started = true;
        } catch (CompletionException e) {
            throw OperatorAddress.failure(
                    settings.operatorListen().orElseThrow(), Objects.requireNonNull(e.getCause()));
        } finally {
            if (!started) {
                close();
            }
        }
    }

    private ServerBuilder bounded(InetSocketAddress listen, Optional<ListenerTls> tls, ConnectionBounds bounds) {
        ServerBuilder builder = Server.builder();
        tls.ifPresentOrElse(with -> with.addTo(builder, listen), () -> builder.http(listen));
        return builder.maxNumConnections(settings.maxConnections())
                .childChannelPipelineCustomizer(bounds::install)
                .childChannelOption(
                        ChannelOption.RECVBUF_ALLOCATOR, new AdaptiveRecvByteBufAllocator(512, 2048, MAX_READ_BYTES))
                .idleTimeout(IDLE_TIMEOUT)
                .maxRequestLength(MAX_REQUEST_BYTES)
                .http1MaxInitialLineLength(ConnectionBounds.MAX_REQUEST_LINE_BYTES)
                .http1MaxHeaderSize(ConnectionBounds.MAX_HEADER_BYTES)
                .http2MaxHeaderListSize(ConnectionBounds.MAX_HEADER_BYTES)
                .http2MaxStreamsPerConnection(MAX_STREAMS)
                // All bodies of a connection may arrive in parallel. ConnectionBounds bounds their memory.
                .http2InitialConnectionWindowSize(MAX_STREAMS * MAX_REQUEST_BYTES)
                .requestTimeout(settings.requestTimeout())
                .gracefulShutdownTimeout(Duration.ZERO, settings.drainTimeout()) // without a quiet period
                .http1HeaderNaming(FieldNames::of)
                .defaultHostname("localhost") // the host of requests of HTTP/1.0 without one
                .childChannelPipelineCustomizer(connections::add)
                // The last decorator runs first.
                .decorator(new AllowedHosts(listen, settings.allowedHosts()))
                .decorator(new UnfinishedRequests())
                .decorator(connections)
                .errorHandler(new Errors())
                .unloggedExceptionsReportInterval(Duration.ZERO) // no reports, because Errors logs failures
                .disableServerHeader();
    }

    private static HttpService getOnly(Supplier<HttpResponse> response) {
        return (ctx, request) -> request.method() == HttpMethod.GET || request.method() == HttpMethod.HEAD
                ? response.get()
                : Responses.methodNotAllowed(request.method(), "GET, HEAD");
    }

    /** The address on which the server listens. */
    public InetSocketAddress address() {
        return Objects.requireNonNull(server.activePort(), "not started").localAddress();
    }

    /** The URI for clients on this machine. */
    public URI uri() {
        return uri(address(), settings.tls().isPresent());
    }

    private static URI uri(InetSocketAddress listen, boolean tls) {
        InetAddress address = listen.getAddress();
        String host = address.isAnyLocalAddress() ? "127.0.0.1" : address.getHostAddress();
        return URI.create((tls ? "https" : "http") + "://" + (host.contains(":") ? "[" + host + "]" : host) + ":"
                + listen.getPort());
    }

    /** The URI for operators, or {@code unix:/path} for a Unix socket; empty if they have no listener of their own. */
    public Optional<String> operatorAddress() {
        return operatorServer.map(own -> {
            InetSocketAddress address =
                    Objects.requireNonNull(own.activePort(), "not started").localAddress();
            return address instanceof DomainSocketAddress socket
                    ? "unix:" + socket.path()
                    : uri(address, settings.operatorTls().isPresent()).toString();
        });
    }

    /** Returns whether operators send their tokens to another address than the loopback without TLS. */
    boolean sendsTokensInClearText() {
        InetSocketAddress address = settings.operatorListen().orElse(settings.listen());
        boolean secured = (operatorServer.isPresent() ? settings.operatorTls() : settings.tls()).isPresent();
        boolean local =
                address instanceof DomainSocketAddress || address.getAddress().isLoopbackAddress();
        return !secured
                && !local
                && (settings.operatorToken().isPresent() || settings.operators().isPresent());
    }

    /**
     * Shuts down gracefully. First, the server reports that it is not ready and still handles requests for the drain delay, so that clients
     * move to other servers. Then it accepts no more connections, and waits for the requests in flight.
     */
    void drain() {
        readiness.drain();
        connections.announceShutdown();
        log.info(
                "stopping: /readyz returns 503; the server handles requests for another {} ms",
                settings.drainDelay().toMillis());
        try {
            Thread.sleep(settings.drainDelay().toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        log.info("stopping: the server accepts no more requests and finishes those in flight");
        connections.drain(settings.drainTimeout());
        close();
    }

    @Override
    public void close() {
        Optional<CompletableFuture<Void>> ofOperators = operatorServer.map(Server::stop);
        server.stop().join();
        ofOperators.ifPresent(CompletableFuture::join);
        audit.close();
        metrics.close();
        settings.operators().ifPresent(OperatorsFile::close);
        settings.tls().ifPresent(ListenerTls::close);
        settings.operatorTls().ifPresent(ListenerTls::close);
    }
}

package io.headgate.server.serve;

import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.server.HttpService;
import com.linecorp.armeria.server.ServerBuilder;
import com.linecorp.armeria.server.ServiceRequestContext;
import com.linecorp.armeria.server.encoding.EncodingService;
import io.headgate.http.Problem;
import io.headgate.micrometer.LimitMetrics;
import io.headgate.micrometer.PolicyMetrics;
import io.headgate.micrometer.QueueMetrics;
import io.headgate.server.http.Responses;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;

/** The metrics of the server and of its JVM, which Prometheus reads at {@value #PATH}. */
final class ServerMetrics implements AutoCloseable {

    static final String PATH = "/metrics";

    /** The most responses in memory: more than the number of Prometheus servers that read one server. */
    private static final int MAX_SCRAPES = 4;

    private static final MediaType TEXT = MediaType.parse("text/plain; version=0.0.4; charset=utf-8");
    private static final MediaType OPEN_METRICS =
            MediaType.parse("application/openmetrics-text; version=1.0.0; charset=utf-8");

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final Semaphore scrapes = new Semaphore(MAX_SCRAPES);
    private final List<Runnable> closing = new ArrayList<>();

    /** Creates the meters, which count from now on. */
    ServerMetrics(Engine engine, ServedPolicies policies) {
        LimitMetrics limits = new LimitMetrics(engine.limits());
        limits.bindTo(registry);
        closing.add(limits::close);
        engine.queues().ifPresent(with -> {
            QueueMetrics queues = new QueueMetrics(with);
            queues.bindTo(registry);
            closing.add(queues::close);
        });
        if (policies.status().get().isPresent()) {
            new PolicyMetrics(() -> policies.status().get().orElseThrow()).bindTo(registry);
        }
        bindJvm();
    }

    private void bindJvm() {
        JvmGcMetrics gc = new JvmGcMetrics();
        closing.add(gc::close);
        List.of(
                        gc,
                        new JvmMemoryMetrics(),
                        new JvmThreadMetrics(),
                        new ProcessorMetrics(),
                        new UptimeMetrics(),
                        new FileDescriptorMetrics())
                .forEach(meters -> meters.bindTo(registry));
    }

    void addTo(ServerBuilder server) {
        HttpService answers = this::answer;
        server.service(
                PATH,
                answers.decorate(EncodingService.builder()
                        .encodableContentTypes(type -> true)
                        .newDecorator()));
    }

    private HttpResponse answer(ServiceRequestContext ctx, HttpRequest request) {
        if (request.method() != HttpMethod.GET && request.method() != HttpMethod.HEAD) {
            return Responses.methodNotAllowed(request.method(), "GET, HEAD");
        }
        if (!scrapes.tryAcquire()) {
            Problem busy = Problem.of(503, "at most " + MAX_SCRAPES + " requests read the metrics at once; try again");
            return Responses.problem(busy, Map.of("Retry-After", "1"));
        }
        MediaType format = format(request.headers().get(HttpHeaderNames.ACCEPT, ""));
        HttpResponse response =
                HttpResponse.of(CompletableFuture.supplyAsync(() -> read(format), ctx.blockingTaskExecutor()));
        // Not before the client has read the response, or its time is over: until then, it is in memory.
        ctx.log().whenComplete().thenRun(scrapes::release);
        return response;
    }

    private HttpResponse read(MediaType format) {
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        try {
            registry.scrape(text, format.toString());
        } catch (IOException e) {
            throw new UncheckedIOException(e); // never, in memory
        }
        return Responses.of(Responses.headers(200).contentType(format), text.toByteArray());
    }

    private static MediaType format(String accepted) {
        return accepted.contains("application/openmetrics-text") ? OPEN_METRICS : TEXT;
    }

    @Override
    public void close() {
        closing.forEach(Runnable::run);
        registry.close();
    }
}

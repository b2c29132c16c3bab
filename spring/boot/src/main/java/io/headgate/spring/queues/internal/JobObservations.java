package io.headgate.spring.queues.internal;

import io.headgate.queues.JobId;
import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.transport.Kind;
import io.micrometer.observation.transport.ReceiverContext;
import io.micrometer.observation.transport.SenderContext;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Observes jobs that are sent and handled. Handlers of the registry put the context of a trace into the headers of a job, and take it from
 * there. Names and values follow OpenTelemetry's conventions for messaging. Without a registry, this does nothing.
 */
final class JobObservations {

    private static final String SEND = "headgate.jobs.send";
    private static final String PROCESS = "headgate.jobs.process";

    private final ObservationRegistry registry;

    JobObservations(ObservationRegistry registry) {
        this.registry = registry;
    }

    /**
     * Sends jobs or entries, and observes that.
     *
     * @param destination the queue or stream
     * @param headers receives the headers to add to each job
     * @param sender sends, after the headers are complete
     */
    <T> T send(String destination, Map<String, String> headers, Supplier<T> sender) {
        return sending(destination, headers).observe(sender);
    }

    /** Sends jobs or entries without blocking, and observes that; parameters are as in {@link #send}. */
    <T> CompletionStage<T> sendAsync(
            String destination, Map<String, String> headers, Supplier<CompletionStage<T>> sender) {
        Observation observation = sending(destination, headers).start();
        try (Observation.Scope scope = observation.openScope()) {
            return sender.get().whenComplete((sent, failure) -> stop(observation, failure));
        } catch (RuntimeException | Error e) {
            stop(observation, e);
            throw e;
        }
    }

    private Observation sending(String destination, Map<String, String> headers) {
        return Observation.createNotStarted(
                        SEND,
                        () -> {
                            SenderContext<Map<String, String>> context = new SenderContext<>(
                                    (carrier, name, value) -> carrier.put(name, value), Kind.PRODUCER);
                            context.setCarrier(headers);
                            return context;
                        },
                        registry)
                .contextualName("send " + destination)
                .lowCardinalityKeyValues(values("send", destination, Optional.empty()));
    }

    /**
     * Returns an observation, which is not started, of the handling of a job.
     *
     * @param id the id of the job; empty for several jobs
     */
    Observation processing(String source, Optional<String> group, Optional<JobId> id, Map<String, String> headers) {
        Observation observation = Observation.createNotStarted(
                        PROCESS,
                        () -> {
                            ReceiverContext<Map<String, String>> context =
                                    new ReceiverContext<>(Map::get, Kind.CONSUMER);
                            context.setCarrier(headers);
                            return context;
                        },
                        registry)
                .contextualName("process " + source)
                .lowCardinalityKeyValues(values("process", source, group));
        id.ifPresent(job -> observation.highCardinalityKeyValue("messaging.message.id", job.value()));
        return observation;
    }

    private static KeyValues values(String operation, String destination, Optional<String> group) {
        KeyValues values = KeyValues.of(
                "messaging.system", "headgate",
                "messaging.operation.name", operation,
                "messaging.operation.type", operation,
                "messaging.destination.name", destination);
        return values.and("messaging.consumer.group.name", group.orElse("none"));
    }

    /** Ends an observation. */
    static void stop(Observation observation, @Nullable Throwable failure) {
        if (failure != null) {
            observation.error(failure);
        }
        observation.stop();
    }
}

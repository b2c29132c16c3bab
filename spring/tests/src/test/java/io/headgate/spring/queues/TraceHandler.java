package io.headgate.spring.queues;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.transport.ReceiverContext;
import io.micrometer.observation.transport.SenderContext;
import java.util.Objects;

/** Puts a trace into what is sent, and takes it from what is received, as a tracer does. */
final class TraceHandler implements ObservationHandler<Observation.Context> {

    static final ThreadLocal<String> TRACE = new ThreadLocal<>();

    private final Received received;

    TraceHandler(Received received) {
        this.received = received;
    }

    @Override
    @SuppressWarnings("unchecked")
    public void onStart(Observation.Context context) {
        String trace = TRACE.get();
        if (context instanceof SenderContext<?> sender && trace != null) {
            SenderContext<Object> any = (SenderContext<Object>) sender;
            any.getSetter().set(Objects.requireNonNull(any.getCarrier()), "traceparent", trace);
        }
    }

    @Override
    @SuppressWarnings("unchecked")
    public void onStop(Observation.Context context) {
        String trace = "";
        if (context instanceof ReceiverContext<?> receiver) {
            ReceiverContext<Object> any = (ReceiverContext<Object>) receiver;
            trace = " " + any.getGetter().get(Objects.requireNonNull(any.getCarrier()), "traceparent");
        }
        received.add(
                "observations",
                context.getName() + " "
                        + Objects.requireNonNull(context.getLowCardinalityKeyValue("messaging.destination.name"))
                                .getValue()
                        + trace
                        + (context.getError() == null ? "" : " failed"));
    }

    @Override
    public boolean supportsContext(Observation.Context context) {
        return String.valueOf(context.getName()).startsWith("headgate.jobs.");
    }
}

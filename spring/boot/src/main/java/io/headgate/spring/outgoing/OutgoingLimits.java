package io.headgate.spring.outgoing;

import io.headgate.spring.outgoing.CallGrant.Held;
import io.headgate.spring.web.InFlightExceededException;
import io.headgate.spring.web.LimitExceededException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.util.List;
import java.util.Optional;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpRequest;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.client.ClientHttpRequestExecution;
import org.springframework.http.client.ClientHttpRequestInterceptor;
import org.springframework.http.client.ClientHttpResponse;

/**
 * Limits the HTTP calls of an application by the routes of {@code headgate.outgoing}. Spring Boot's builders of {@code RestClient}, {@code
 * RestTemplate} and {@code WebClient} have it already; add it to clients that you build otherwise.
 *
 * <p>A call waits until its policy has permits. If there are none in time, the client throws a {@link LimitExceededException}, or of an
 * in-flight policy an {@link InFlightExceededException}, and nothing is sent. In-flight permits are released when the client closes the
 * response or its body. Safe for use by any number of threads.
 */
public final class OutgoingLimits implements ClientHttpRequestInterceptor {

    private final List<OutgoingRoute> routes;

    OutgoingLimits(List<OutgoingRoute> routes) {
        this.routes = List.copyOf(routes);
    }

    /** Returns the first route that matches; empty if the call is not limited. */
    Optional<OutgoingRoute> route(OutgoingCall call) {
        for (OutgoingRoute route : routes) {
            if (route.matches(call)) {
                return route.isUnlimited() ? Optional.empty() : Optional.of(route);
            }
        }
        return Optional.empty();
    }

    /**
     * Waits for permits, and sends the call.
     *
     * @throws LimitExceededException if there are no permits in time
     * @throws InFlightExceededException if there are no permits of an in-flight policy in time
     * @throws InterruptedIOException if the thread is interrupted while it waits; it stays interrupted
     */
    @Override
    public ClientHttpResponse intercept(HttpRequest request, byte[] body, ClientHttpRequestExecution execution)
            throws IOException {
        OutgoingCall call = new OutgoingCall(request.getMethod().name(), request.getURI(), request.getHeaders());
        Optional<OutgoingRoute> route = route(call);
        if (route.isEmpty()) {
            return execution.execute(request, body);
        }
        CallGrant grant;
        try {
            grant = route.get().admit(call);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            InterruptedIOException interrupted = new InterruptedIOException("interrupted while waiting for permits");
            interrupted.initCause(e);
            throw interrupted;
        }
        boolean sent = false;
        try {
            ClientHttpResponse response = sent(route.get(), grant, execution.execute(request, body));
            sent = true;
            return grant instanceof Held ? new ReleasingResponse(response, grant) : response;
        } finally {
            if (!sent) {
                grant.release();
            }
        }
    }

    private static ClientHttpResponse sent(OutgoingRoute route, CallGrant grant, ClientHttpResponse response)
            throws IOException {
        try {
            route.received(
                    grant,
                    response.getStatusCode().value(),
                    response.getHeaders().getFirst(HttpHeaders.RETRY_AFTER));
            return response;
        } catch (IOException | RuntimeException e) {
            response.close();
            throw e;
        }
    }

    /** A response that releases the permits of its call when the client closes it, or its body, which may be all that it has of it. */
    private record ReleasingResponse(ClientHttpResponse response, CallGrant grant) implements ClientHttpResponse {

        @Override
        public HttpStatusCode getStatusCode() throws IOException {
            return response.getStatusCode();
        }

        @Override
        public String getStatusText() throws IOException {
            return response.getStatusText();
        }

        @Override
        public HttpHeaders getHeaders() {
            return response.getHeaders();
        }

        @Override
        public InputStream getBody() throws IOException {
            return new FilterInputStream(response.getBody()) {
                @Override
                public void close() throws IOException {
                    try {
                        super.close();
                    } finally {
                        grant.release();
                    }
                }
            };
        }

        @Override
        public void close() {
            try {
                response.close();
            } finally {
                grant.release();
            }
        }
    }
}

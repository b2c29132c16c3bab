package io.headgate.server.serve;

import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.server.DecoratingHttpServiceFunction;
import com.linecorp.armeria.server.HttpService;
import com.linecorp.armeria.server.ServiceRequestContext;

/**
 * Closes an HTTP/1 connection if a response is sent before the body of its request has arrived. Otherwise, a slow client could keep the
 * connection open. An HTTP/2 stream ends with its response anyway.
 */
final class UnfinishedRequests implements DecoratingHttpServiceFunction {

    @Override
    public HttpResponse serve(HttpService delegate, ServiceRequestContext ctx, HttpRequest request) throws Exception {
        try {
            HttpResponse response = delegate.serve(ctx, request);
            return request.isOpen()
                    ? response.mapHeaders(headers -> {
                        closeIfOpen(ctx, request); // by now, the body may have arrived
                        return headers;
                    })
                    : response;
        } catch (Exception e) {
            closeIfOpen(ctx, request);
            throw e;
        }
    }

    private static void closeIfOpen(ServiceRequestContext ctx, HttpRequest request) {
        if (request.isOpen()) {
            closeAfterResponse(ctx);
        }
    }

    /** Closes the connection after the response to this request, and announces that in the response. */
    static void closeAfterResponse(ServiceRequestContext ctx) {
        if (!ctx.sessionProtocol().isMultiplex()) {
            ctx.initiateConnectionShutdown();
        }
    }
}

package io.headgate.server.serve;

import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.server.DecoratingHttpServiceFunction;
import com.linecorp.armeria.server.HttpService;
import com.linecorp.armeria.server.ServiceRequestContext;

/**
 * Closes a connection of HTTP/1 whose request gets its response before its body has arrived. Otherwise, a slow client could keep the
 * connection open. A stream of HTTP/2 ends with its response anyway.
 */
final class UnfinishedRequests implements DecoratingHttpServiceFunction {

    @Override
    public HttpResponse serve(HttpService delegate, ServiceRequestContext ctx, HttpRequest request) throws Exception {
        try {
            HttpResponse answer = delegate.serve(ctx, request);
            return request.isOpen()
                    ? answer.mapHeaders(headers -> {
                        closeIfOpen(ctx, request);
                        return headers;
                    })
                    : answer;
        } catch (Exception e) {
            closeIfOpen(ctx, request);
            throw e;
        }
    }

    private static void closeIfOpen(ServiceRequestContext ctx, HttpRequest request) {
        if (request.isOpen()) {
            closeAfterAnswer(ctx);
        }
    }

    /** Closes the connection after the response to this request, and announces that in the response. */
    static void closeAfterAnswer(ServiceRequestContext ctx) {
        if (!ctx.sessionProtocol().isMultiplex()) {
            ctx.initiateConnectionShutdown();
        }
    }
}

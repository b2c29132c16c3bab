package io.headgate.server.serve;

import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.server.DecoratingHttpServiceFunction;
import com.linecorp.armeria.server.HttpService;
import com.linecorp.armeria.server.ServiceRequestContext;

/**
 * Closes a connection of HTTP/1 whose request is answered before all of it came: a client that lets its body trickle
 * would hold the connection for as long as it likes. A stream of HTTP/2 ends with its answer anyway.
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

    /** Closes the connection when the answer to this request was sent, and says so in it. */
    static void closeAfterAnswer(ServiceRequestContext ctx) {
        if (!ctx.sessionProtocol().isMultiplex()) {
            ctx.initiateConnectionShutdown();
        }
    }
}

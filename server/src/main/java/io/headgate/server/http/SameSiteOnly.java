package io.headgate.server.http;

import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.server.DecoratingHttpServiceFunction;
import com.linecorp.armeria.server.HttpService;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.headgate.http.Problem;

/** Rejects requests from pages of other sites with 403, before a service reads or counts anything. */
public final class SameSiteOnly implements DecoratingHttpServiceFunction {

    private static final Problem CROSS_SITE = Problem.of(
            403,
            "this request comes from a page of another site (Sec-Fetch-Site, Origin or Referer) and is refused; a proxy must not forward these fields");

    @Override
    public HttpResponse serve(HttpService delegate, ServiceRequestContext ctx, HttpRequest request) throws Exception {
        if (CrossSiteRequests.isCrossSite(request.headers())) {
            throw new ProblemException(CROSS_SITE);
        }
        return delegate.serve(ctx, request);
    }
}

package io.headgate.server.top;

import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.QueryParams;
import com.linecorp.armeria.server.HttpService;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.headgate.limits.hotkeys.TopKeys;
import io.headgate.server.http.CallAudit;
import io.headgate.server.http.OperatorGate;
import io.headgate.server.http.Parameters;
import io.headgate.server.http.ProblemException;
import io.headgate.server.http.Responses;
import io.headgate.server.operators.Role;
import io.headgate.server.text.Quoted;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** {@code GET /v1/top}: the hot keys. For operators only, because keys contain ids of users. */
public final class TopApi implements HttpService {

    private static final List<String> PARAMETERS = List.of("policy", "max");
    private static final int DEFAULT_MAX = 10;
    private static final int MAX = 256;

    private final TopSource source;
    private final Supplier<Set<String>> policies;
    private final OperatorGate gate;

    /**
     * Creates the service.
     *
     * @param policies the names of the current policies
     */
    public TopApi(TopSource source, Supplier<Set<String>> policies, OperatorGate gate) {
        this.source = source;
        this.policies = policies;
        this.gate = gate;
    }

    @Override
    public HttpResponse serve(ServiceRequestContext ctx, HttpRequest request) {
        if (request.method() != HttpMethod.GET && request.method() != HttpMethod.HEAD) {
            return Responses.methodNotAllowed(request.method(), "GET, HEAD");
        }
        QueryParams given = ctx.queryParams();
        Optional<String> policy = Optional.ofNullable(given.get("policy"));
        CallAudit.Entry entry = gate.admit(
                ctx,
                Role.VIEW,
                new CallAudit.Call(
                        "top" + policy.map(name -> " " + Quoted.of(name)).orElse(""), Optional.empty(), "", "top"));
        return HttpResponse.of(find(given, policy)
                .whenComplete(
                        (found, failure) -> entry.ended(found == null ? null : "policies: " + found.size(), failure))
                .thenApply(found -> Responses.json(TopJson.members(found))));
    }

    private CompletionStage<List<TopKeys>> find(QueryParams given, Optional<String> policy) {
        try {
            int max = Parameters.of(given, PARAMETERS).number("max", DEFAULT_MAX, MAX);
            return TopList.of(source, policy, max).thenApply(found -> {
                if (policy.isPresent() && found.isEmpty() && !policies.get().contains(policy.get())) {
                    throw ProblemException.notFound(
                            "no policy is named " + Quoted.of(policy.get()) + "; /v1/status lists them");
                }
                return found;
            });
        } catch (ProblemException e) {
            return CompletableFuture.failedFuture(e);
        }
    }
}
